import { setImmediate } from 'node:timers/promises'
import type { NativeRun } from '../../native/native.js'
import type { Where } from '../compression-codec.js'
import { type ConversionLimits, storedRecords } from '../conversion/limits.js'
import { type Compressed, compress } from '../recompression.js'
import { codecOf, decodeBatch } from '../record-batch.js'
import { sideBySide } from './side-by-side.js'

/** How compressed batches are opened. */
export interface RunLimits extends ConversionLimits {
  /** So many bytes of compressed batches are handed out at once. */
  readonly ioBufferBytes: number
}

/** A batch of a run, opened. */
export interface PlainBatch {
  readonly codec: number
  /** Decompressed. */
  readonly records: Buffer
}

/** What is shorter takes less time here than aside, compressed or not. */
const HERE_BYTES = 64 << 10

/** So many batches are handed on at once at the most: the event loop's thread has to do with each. */
const MOST_BATCHES = 1000

/**
 * A run's compressed batches, in order, some at a time: what native code does not do. The next ones are opened while one
 * works on those before.
 */
export async function* plainBatches(run: NativeRun, limits: RunLimits): AsyncGenerator<PlainBatch[], void, void> {
  const opening = openBatches(run, limits)
  let next = opening.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = setImmediate().then(() => opening.next())
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
  }
}

/** As many at a time as make `ioBufferBytes` decompressed, but for what is under way by then. */
async function* openBatches(run: NativeRun, limits: RunLimits): AsyncGenerator<PlainBatch[], void, void> {
  for (let at = 0; at < run.compressed.length; ) {
    let plainBytes = 0
    const batches = await sideBySide(
      Array.from(run.compressed.subarray(at, at + MOST_BATCHES)),
      async (position) => {
        const batch = decodeBatch(run.bytes, position)
        const records = await storedRecords(batch, limits, whereOf(batch.records))
        plainBytes += records.length
        return { codec: codecOf(batch), records }
      },
      () => plainBytes < limits.ioBufferBytes,
    )
    yield batches
    at += batches.length
  }
}

/** Records of a batch compressed again, by the codec that it had, as far as the platform has it. */
export function compressedLike(batches: readonly PlainBatch[]): Promise<Compressed[]> {
  return sideBySide(batches, ({ codec, records }) => compress(codec, records, whereOf(records)))
}

function whereOf(bytes: Buffer): Where {
  return bytes.length <= HERE_BYTES ? 'here' : 'aside'
}
