import { describe, expect, it } from 'vitest'
import { decompress } from '../../../src/log/compression.js'
import { decodeBatch } from '../../../src/log/record-batch.js'
import { batchVector, batchVectors, bombVectors, streamVectors } from '../../support/record-batches.js'

const LIMIT = 1 << 20
const compressed = batchVectors.filter(({ codec, variant }) => codec > 0 && variant === 'create')

describe('decompression', () => {
  it.each(streamVectors)('reads $name', async ({ codec, bytes, plain }) => {
    expect((await decompress(codec, bytes, plain.length)).equals(plain)).toBe(true)
  })

  it.each([...streamVectors, ...bombVectors])('makes no more of it than allowed: $name', async (stream) => {
    await expect(decompress(stream.codec, stream.bytes, stream.plain.length - 1)).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
    })
  })

  it.each(bombVectors)('does not begin with a bomb of $name', async ({ codec, bytes }) => {
    await expect(decompress(codec, bytes, LIMIT)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  it('believes no length that snappy claims', async () => {
    const claim = Buffer.from('ffffffff0f00', 'hex')
    await expect(decompress(2, claim, LIMIT)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
    const framed = Buffer.concat([
      Buffer.from('82534e41505059000000000100000001', 'hex'),
      Buffer.from('7fffffff', 'hex'),
    ])
    await expect(decompress(2, framed, LIMIT)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  })

  it.each(compressed)('refuses what is cut off, at every byte of the ends: $name', async ({ bytes, codec }) => {
    const { records } = decodeBatch(bytes)
    const whole = await decompress(codec, records, LIMIT)
    const ends = new Set<number>()
    for (let i = 0; i < Math.min(records.length, 40); i++) ends.add(i).add(records.length - 1 - i)
    for (const end of ends) {
      const cut = records.subarray(0, end)
      // A cut between two blocks of Java's snappy is no error of the stream: the records say that some are missing.
      const result = await decompress(codec, cut, LIMIT).catch((error: unknown) => error)
      if (result instanceof Buffer) expect(result.length).toBeLessThan(whole.length)
      else expect(result).toMatchObject({ code: 'INVALID_RECORD' })
    }
  })

  it.each(compressed)('survives every changed byte: $name', async ({ bytes, codec }) => {
    const { records } = decodeBatch(bytes)
    for (let i = 0; i < Math.min(records.length, 150); i++) {
      const changed = Buffer.from(records)
      changed[i] = (changed[i] as number) ^ 0xff
      const result = await decompress(codec, changed, LIMIT).catch((error: unknown) => error)
      if (result instanceof Buffer) expect(result.length).toBeLessThanOrEqual(LIMIT)
      else expect(result).toMatchObject({ code: expect.stringMatching(/^(INVALID_RECORD|MESSAGE_TOO_LARGE)$/) })
    }
  })

  it('passes on what is not compressed', async () => {
    const bytes = Buffer.from('as it is')
    expect(await decompress(0, bytes, 1)).toBe(bytes)
  })

  it.each([5, 6, 7])('knows no codec %i', async (codec) => {
    await expect(decompress(codec, Buffer.alloc(9), LIMIT)).rejects.toMatchObject({
      code: 'UNSUPPORTED_COMPRESSION_TYPE',
    })
  })

  it('goes on behind failures, however many wait', async () => {
    const { bytes, codec } = batchVector({ set: 'mixed', codec: 3 })
    const { records } = decodeBatch(bytes)
    const whole = await decompress(codec, records, LIMIT)
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => decompress(codec, i % 2 ? records : records.subarray(0, 20), LIMIT)),
    )
    for (const [i, result] of results.entries()) {
      expect(result.status).toBe(i % 2 ? 'fulfilled' : 'rejected')
      if (result.status === 'fulfilled') expect(result.value).toEqual(whole)
    }
  })
})
