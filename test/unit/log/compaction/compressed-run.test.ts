import { describe, expect, it } from 'vitest'
import { compressedLike, type PlainBatch, plainBatches } from '../../../../src/log/compaction/compressed-run.js'
import { decompress } from '../../../../src/log/compression.js'
import { compress } from '../../../../src/log/recompression.js'
import { encodeBatch } from '../../../../src/log/record-batch-encoder.js'
import { withRecords } from '../../../support/record-batches.js'

const [GZIP, SNAPPY, LZ4] = [1, 2, 3]
const PLAIN_BYTES = 10_000
const limits = { maxPlainBytes: 1 << 20, ioBufferBytes: 4096 }

/** A batch that compresses well. */
async function batchOf(codec: number, offset: number): Promise<{ batch: Buffer; plain: Buffer }> {
  const whole = encodeBatch([
    { offset, timestamp: 0, key: Buffer.from(`key ${offset}`), value: Buffer.alloc(PLAIN_BYTES) },
  ])
  const plain = whole.subarray(61)
  const { bytes } = await compress(codec, plain)
  return { batch: withRecords(whole, bytes, codec), plain }
}

async function runOf(codecs: readonly number[]) {
  const made = await Promise.all(codecs.map(batchOf))
  const compressed: number[] = []
  let length = 0
  for (const [index, { batch }] of made.entries()) {
    if (codecs[index] !== 0) compressed.push(length)
    length += batch.length
  }
  const run = { bytes: Buffer.concat(made.map(({ batch }) => batch)), compressed: Uint32Array.from(compressed) }
  return { run, plain: made.filter((_, index) => codecs[index] !== 0).map((each) => each.plain) }
}

async function collect(batches: AsyncIterable<PlainBatch[]>): Promise<PlainBatch[][]> {
  const groups: PlainBatch[][] = []
  for await (const group of batches) groups.push(group)
  return groups
}

describe('compressed batches of a run', () => {
  it('are opened in order, those between them left out, no more at a time than memory allows', async () => {
    const codecs = Array.from({ length: 40 }, (_, index) => [LZ4, 0, SNAPPY, GZIP][index % 4] as number)
    const { run, plain } = await runOf(codecs)
    const groups = await collect(plainBatches(run, limits))
    const all = groups.flat()
    expect(all.map(({ codec }) => codec)).toEqual(codecs.filter((codec) => codec !== 0))
    expect(all.every(({ records }, index) => records.equals(plain[index] as Buffer))).toBe(true)
    expect(groups.length).toBeGreaterThan(1)
    // Those that are under way when it is enough are taken, too.
    for (const group of groups)
      expect(group.length).toBeLessThanOrEqual(Math.ceil(limits.ioBufferBytes / PLAIN_BYTES) + 2)
  })

  it('are compressed again by the codec that each had', async () => {
    const { run, plain } = await runOf([LZ4, SNAPPY, GZIP, LZ4])
    const again = await compressedLike((await collect(plainBatches(run, limits))).flat())
    expect(again.map(({ codec }) => codec)).toEqual([LZ4, SNAPPY, GZIP, LZ4])
    for (const [index, { codec, bytes }] of again.entries()) {
      expect((await decompress(codec, bytes, 1 << 20)).equals(plain[index] as Buffer)).toBe(true)
    }
  })

  it('are damage where they do not decompress', async () => {
    const { run } = await runOf([GZIP, GZIP, GZIP])
    run.bytes[(run.compressed[1] as number) + 75] = 0xff
    await expect(collect(plainBatches(run, limits))).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
  })

  it('are refused where they decompress to more than is allowed', async () => {
    const { run } = await runOf([LZ4, SNAPPY])
    const small = { ...limits, maxPlainBytes: PLAIN_BYTES }
    await expect(collect(plainBatches(run, small))).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })
})
