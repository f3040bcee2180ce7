/** Both ways of reading zstd, whichever this Node takes: its own, frame by frame, and the one of WebAssembly. */
import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Decompress, MOST_BLOCKS } from '../../../src/log/compression-codec.js'
import { byNode, loadWasm, type ZstdDecompress } from '../../../src/log/compression-zstd.js'
import { edited, edits, valueOrRefusalLater } from '../../support/hostile-bytes.js'
import { bombVectors, streamVectors } from '../../support/record-batches.js'
import { scaled } from '../../support/scale.js'

const zstd = [...streamVectors, ...bombVectors].filter(({ codec }) => codec === 4)
const LIMIT = 1 << 20
/** With many runs, on a busy machine. */
const TIMEOUT_MS = 120_000
const numRuns = scaled(40, 5000)
const wasm = await loadWasm()

/** What Node's own does with one frame, for a Node that has none. */
const likeNode: ZstdDecompress = (bytes, { maxOutputLength }, done) => {
  wasm(bytes, maxOutputLength, 'here').then(
    (result) => done(null, result),
    (error: { code: string }) => {
      const code = error.code === 'MESSAGE_TOO_LARGE' ? 'ERR_BUFFER_TOO_LARGE' : 'ZSTD_error_corruption_detected'
      done(Object.assign(new Error('as Node says it'), { code }), Buffer.alloc(0))
    },
  )
}
const { zstdDecompress = likeNode } = zlib as { zstdDecompress?: ZstdDecompress }
const ways: [name: string, run: Decompress][] = [
  ['by Node', byNode(zstdDecompress)],
  ['by WebAssembly', wasm],
]

interface Block {
  byte: number
  length: number
  repeated: boolean
}

/** A block that is as it is, or a byte so many times (RFC 8878, 3.1.1.2). */
function blockOf({ byte, length, repeated }: Block, isLast: boolean): Buffer {
  const head = Buffer.alloc(3)
  head.writeUIntLE((length << 3) | (repeated ? 2 : 0) | (isLast ? 1 : 0), 0, 3)
  return Buffer.concat([head, Buffer.alloc(repeated ? 1 : length, byte)])
}

/** A frame of blocks that are not compressed, with a head of any of the forms that there are (3.1.1.1). */
const anyFrame = fc
  .record({
    sizeForm: fc.nat({ max: 3 }),
    single: fc.boolean(),
    dictionaryForm: fc.nat({ max: 3 }),
    blocks: fc.array(
      fc.record({ byte: fc.nat({ max: 255 }), length: fc.integer({ min: 1, max: 200 }), repeated: fc.boolean() }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ sizeForm, single, dictionaryForm, blocks }) => {
    const plain = Buffer.concat(blocks.map(({ byte, length }) => Buffer.alloc(length, byte)))
    // A size fits into its form, the one of two bytes begins at 256.
    const form = (sizeForm === 1 && plain.length < 256) || (sizeForm === 0 && plain.length > 255) ? 2 : sizeForm
    const head = Buffer.from('28b52ffd00', 'hex')
    head[4] = (form << 6) | (single ? 0x20 : 0) | dictionaryForm
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(BigInt(form === 1 ? plain.length - 256 : plain.length))
    const bytes = Buffer.concat([
      head,
      Buffer.alloc(single ? 0 : 1),
      // No dictionary, said in so many bytes.
      Buffer.alloc([0, 1, 2, 4][dictionaryForm] as number),
      size.subarray(0, [single ? 1 : 0, 2, 4, 8][form]),
      ...blocks.map((block, i) => blockOf(block, i === blocks.length - 1)),
    ])
    return { bytes, plain }
  })

describe.each(ways)('zstd %s', (_, run) => {
  it('makes nothing where the frame claims much and its blocks hold nothing', async () => {
    // 16 MiB claimed, then one empty block; an empty one as libzstd writes it.
    for (const hex of ['28b52ffda000000001010000', '28b52ffd2000010000']) {
      const result = await run(Buffer.from(hex, 'hex'), LIMIT, 'here').catch((error: unknown) => error)
      if (result instanceof Buffer) expect(result).toHaveLength(0)
      else expect(result).toMatchObject({ code: 'INVALID_RECORD' })
    }
  })

  it.each(zstd)('reads $name', async ({ bytes, plain }) => {
    expect((await run(bytes, plain.length, 'here')).equals(plain)).toBe(true)
    await expect(run(bytes, plain.length - 1, 'here')).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  it('makes not even one byte where none is allowed', async () => {
    const oneByte = Buffer.from('28b52ffd00000900000a', 'hex')
    expect(await run(oneByte, 1, 'here')).toEqual(Buffer.of(10))
    await expect(run(oneByte, 0, 'here')).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  it(
    'reads frames one behind the other, with heads of every form, and no more than allowed',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyFrame, { minLength: 1, maxLength: 3 }), async (frames) => {
          const bytes = Buffer.concat(frames.map((frame) => frame.bytes))
          const plain = Buffer.concat(frames.map((frame) => frame.plain))
          expect(await run(bytes, plain.length, 'here')).toEqual(plain)
          await expect(run(bytes, plain.length - 1, 'here')).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
        }),
        { numRuns },
      )
    },
    TIMEOUT_MS,
  )

  it(
    'refuses changed frames, or makes no more of them than allowed',
    async () => {
      const valid = fc.oneof(
        anyFrame.map(({ bytes }) => bytes),
        fc.constantFrom(...streamVectors.filter(({ codec }) => codec === 4).map(({ bytes }) => bytes)),
      )
      await fc.assert(
        fc.asyncProperty(valid, edits, async (bytes, changes) => {
          const read = () => run(edited(bytes, changes), LIMIT, 'here')
          const result = await valueOrRefusalLater(read, ['INVALID_RECORD', 'MESSAGE_TOO_LARGE'])
          expect(result?.length ?? 0).toBeLessThanOrEqual(LIMIT)
        }),
        { numRuns },
      )
    },
    TIMEOUT_MS,
  )

  it.each([
    ['nothing', Buffer.alloc(0), 'there is no frame'],
    ['what is no frame', Buffer.from('28b52ffc2000010000', 'hex'), 'it is no frame'],
    ['an unknown kind of block', Buffer.from('28b52ffd2000070000', 'hex'), 'a block is unknown'],
    ['a block above the largest', Buffer.from('28b52ffd2000090010', 'hex'), 'a block is unknown'],
    ['a checksum that is cut off', Buffer.from('28b52ffd2400010000abcd', 'hex'), 'cut off'],
    ['a head that is cut off', Buffer.from('28b52ffde000', 'hex'), 'cut off'],
    [
      'more blocks than any client writes',
      Buffer.concat([Buffer.from('28b52ffd2000', 'hex'), Buffer.alloc(3 * (MOST_BLOCKS + 1))]),
      'blocks',
    ],
  ])('refuses %s', async (_, bytes, why) => {
    await expect(run(bytes, LIMIT, 'here')).rejects.toMatchObject({
      code: 'INVALID_RECORD',
      message: expect.stringContaining(why),
    })
  })
})
