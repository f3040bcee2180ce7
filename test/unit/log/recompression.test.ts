import * as zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decompress } from '../../../src/log/compression.js'
import { CODECS } from '../../../src/log/compression-codec.js'
import { compress } from '../../../src/log/recompression.js'

const plain = Buffer.from(Array.from({ length: 5_000 }, (_, i) => `record ${i % 97}`).join('\n'))
const number = (name: (typeof CODECS)[number]): number => CODECS.indexOf(name)

describe('compressing records anew', () => {
  it.each(CODECS.map((name, codec) => ({ name, codec })))('$name gives back what went in', async ({ codec }) => {
    const compressed = await compress(codec, plain)
    expect((await decompress(compressed.codec, compressed.bytes, plain.length)).equals(plain)).toBe(true)
    if (codec > 0) expect(compressed.bytes.length).toBeLessThan(plain.length / 2)
  })

  it('makes gzip where Node has no zstd', async () => {
    const { codec } = await compress(number('zstd'), plain)
    expect(CODECS[codec]).toBe('zstdCompress' in zlib ? 'zstd' : 'gzip')
  })

  it('makes lz4 of blocks that do not depend on one another: Java reads no others', async () => {
    const { bytes } = await compress(number('lz4'), plain)
    expect(bytes.readUInt32LE(0)).toBe(0x184d2204)
    expect((bytes[4] as number) & 0x20).toBe(0x20)
  })

  it('knows no codec 7', async () => {
    await expect(compress(7, plain)).rejects.toMatchObject({ code: 'UNSUPPORTED_COMPRESSION_TYPE' })
  })
})
