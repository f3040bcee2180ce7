import { type ReadResult, releaseSlices } from './log-reader.js'
import type { PartitionLog } from './partition-log.js'
import { decodeStored, type LogRecord } from './record-codec.js'

/** Copies slices into one buffer and lets them go. */
export async function readSlices(result: ReadResult): Promise<Buffer> {
  try {
    const bytes = Buffer.allocUnsafe(result.bytes)
    let at = 0
    for (const slice of result.slices) {
      const part = bytes.subarray(at, at + slice.length)
      if (!slice.segment.read(part, slice.position)) await slice.segment.readAsync(part, slice.position)
      at += slice.length
    }
    return bytes
  } finally {
    releaseSlices(result)
  }
}

/** The records from an offset on, decoded; their keys and values are views of one buffer. */
export async function readRecords(log: PartitionLog, offset: number, maxBytes: number): Promise<LogRecord[]> {
  const result = await log.read({ offset, maxBytes, upperBound: log.highWatermark })
  if (result.bytes === 0) return []
  return decodeStored(await readSlices(result))
}

/** How to walk a log. */
export interface IterateOptions {
  /** The first offset; default: the log start offset. */
  from?: number
  /** Whether to wait at the end of the log for what is appended later; default true. */
  follow?: boolean
  /** Ends the walk: the iterator throws the signal's reason. */
  signal?: AbortSignal
  /** Bytes that are read at once; one record at least. Default 1 MiB. */
  maxBytes?: number
}

/** Yields the records one after another. */
export async function* iterateRecords(
  log: PartitionLog,
  options: IterateOptions,
): AsyncGenerator<LogRecord, void, void> {
  const { from = log.logStartOffset, follow = true, signal, maxBytes = 1 << 20 } = options
  let offset = from
  for (;;) {
    signal?.throwIfAborted()
    const bound = log.highWatermark
    const records = await readRecords(log, offset, maxBytes)
    for (const record of records) {
      signal?.throwIfAborted()
      offset = record.offset + 1
      yield record
    }
    if (records.length > 0) continue
    if (!follow) return
    // Compaction may have left nothing up to there.
    offset = Math.max(offset, bound)
    await log.waitBeyond(offset, signal)
  }
}
