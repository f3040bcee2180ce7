import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MyKafkaError } from '../../src/errors.js'
import { decompress } from '../../src/log/compression.js'
import { CODECS, MOST_BLOCKS } from '../../src/log/compression-codec.js'
import { packBatch } from '../../src/log/conversion/batch-to-packed.js'
import { storeBatches } from '../../src/log/conversion/batches-to-stored.js'
import { packedAsBatch } from '../../src/log/conversion/packed-to-batch.js'
import { encodeStored } from '../../src/log/conversion/stored-to-batches.js'
import { BATCH_AT, BATCH_PREFIX, decodeBatch } from '../../src/log/record-batch.js'
import { decodeStored, encodePacked } from '../../src/log/record-codec.js'
import { iterateBatch } from '../../src/log/record-cursor.js'
import { native } from '../../src/native/load.js'
import { BATCH } from '../../src/native/native.js'
import { edited, edits, sizeOf, valueOrRefusal, valueOrRefusalLater } from '../support/hostile-bytes.js'
import { batchVectors } from '../support/record-batches.js'
import { scaled } from '../support/scale.js'
import { storedEntry } from '../support/stored-format.js'
import { record, records } from './arbitraries.js'

const MAX_PLAIN_BYTES = 1 << 20
const PACKING = { maxPlainBytes: MAX_PLAIN_BYTES, logAppendTimeMs: -1, keysRequired: false }
const REFUSED = [
  'CORRUPT_MESSAGE',
  'INVALID_RECORD',
  'MESSAGE_TOO_LARGE',
  'UNSAFE_INTEGER',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
]
const small = batchVectors.filter(({ bytes }) => bytes.length < 4000)

/** Right by its length and checksum, whatever else is in it. */
function sealed(batch: Buffer): Buffer {
  if (batch.length < BATCH_AT.records) return batch
  batch.writeInt32BE(batch.length - BATCH_PREFIX, BATCH_AT.batchLength)
  batch.writeUInt32BE(native.crc32c(batch.subarray(BATCH_AT.attributes)), BATCH_AT.crc)
  return batch
}

describe('a batch whose bytes were changed', () => {
  it('is refused, or read alike by native code and by TypeScript', () => {
    const uncompressed = small.filter(({ codec }) => codec === 0)
    fc.assert(
      fc.property(fc.constantFrom(...uncompressed), edits, fc.boolean(), ({ bytes }, changes, seal) => {
        const batch = edited(bytes, changes)
        if (seal) sealed(batch)
        const said = new Float64Array(BATCH.fields)
        const accepted = valueOrRefusal(() => {
          native.checkBatch(batch, MAX_PLAIN_BYTES, said)
          return true
        }, REFUSED)
        // The broker's offset takes the place of the client's.
        if (accepted) batch.fill(0, 0, 8)
        const read = valueOrRefusal(() => {
          const found = decodeBatch(batch)
          return [...iterateBatch(found, found.records)]
        }, REFUSED)
        if (accepted === null || codecOf(batch) !== 0) return
        expect(read).toHaveLength(said[BATCH.count] as number)
        expect(sizeOf(read)).toBeLessThanOrEqual(5 * batch.length)
      }),
      { numRuns: scaled(150, 50_000) },
    )
  })

  it('is refused or converted, and makes no more than is allowed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...small), edits, async ({ bytes }, changes) => {
        const batch = sealed(edited(bytes, changes))
        const packed = await valueOrRefusalLater(() => packBatch(batch, PACKING), REFUSED)
        for (const run of packed ?? []) expect(native.checkPacked(run.records, run.count)).toBe(run.storedLength)
        const stored = await valueOrRefusalLater(() => storeBatches(batch, 0, MAX_PLAIN_BYTES, PACKING), REFUSED)
        for (const part of stored?.parts ?? []) decodeStored(part, { checkCrcs: true })
      }),
      { numRuns: scaled(50, 20_000) },
    )
  })
})

it('entries whose bytes were changed are refused or become batches that are right', () => {
  const entries = fc
    .array(record, { minLength: 1, maxLength: 6 })
    .map((list) => Buffer.concat(list.map(({ key, value }, i) => storedEntry(i, 1000 + i, key, value))))
  fc.assert(
    fc.property(entries, edits, fc.nat(3000), (whole, changes, maxBytes) => {
      const encoded = valueOrRefusal(() => encodeStored(edited(whole, changes), maxBytes), REFUSED)
      for (let at = 0; at < (encoded?.bytes.length ?? 0); ) {
        const batch = decodeBatch(encoded?.bytes as Buffer, at)
        expect([...iterateBatch(batch, batch.records)]).toHaveLength(batch.count)
        at += batch.length
      }
    }),
    { numRuns: scaled(60, 20_000) },
  )
})

it('packed records whose bytes were changed are refused, or become a batch where native code takes them', () => {
  fc.assert(
    fc.property(records, edits, (list, changes) => {
      const packed = edited(encodePacked(list), changes)
      const batch = valueOrRefusal(() => packedAsBatch(packed, list.length, 1, false), REFUSED)
      const stored = valueOrRefusal(() => native.checkPacked(packed, list.length), REFUSED)
      if (stored === null) return
      native.checkBatch(batch as Buffer, MAX_PLAIN_BYTES, new Float64Array(BATCH.fields))
    }),
    { numRuns: scaled(60, 20_000) },
  )
})

describe('compressed bytes', () => {
  it.each(CODECS.slice(1).map((name, i) => [name, i + 1] as const))(
    'of %s that were changed are refused, or become no more than is allowed',
    async (_, codec) => {
      const streams = small.filter((vector) => vector.codec === codec).map(({ bytes }) => decodeBatch(bytes).records)
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...streams), edits, fc.nat(5000), async (stream, changes, maxBytes) => {
          const plain = await valueOrRefusalLater(() => decompress(codec, edited(stream, changes), maxBytes), REFUSED)
          expect(plain?.length ?? 0).toBeLessThanOrEqual(maxBytes)
        }),
        { numRuns: scaled(25, 5000) },
      )
    },
  )

  const times = MOST_BLOCKS + 1
  const many = (head: string, block: string, end: string) =>
    Buffer.concat([
      Buffer.from(head, 'hex'),
      Buffer.alloc(times * (block.length / 2), block, 'hex'),
      Buffer.from(end, 'hex'),
    ])
  it.each([
    // Blocks of no byte, or one; frames of none.
    ['snappy', 2, many('82534e41505059000000000100000001', '0000000100', '')],
    ['lz4 blocks', 3, many('04224d18604082', '0100008061', '00000000')],
    ['lz4 frames', 3, many('', '04224d1860408200000000', '')],
    ['zstd blocks', 4, many('28b52ffd0058', '000000', '010000')],
    ['zstd frames', 4, many('', '28b52ffd2000010000', '')],
  ])('in more blocks than any client writes are refused before they are read: %s', async (_, codec, bytes) => {
    await expect(decompress(codec, bytes, MAX_PLAIN_BYTES)).rejects.toMatchObject({
      code: 'INVALID_RECORD',
      message: expect.stringContaining(`more than ${MOST_BLOCKS} blocks`),
    })
  })

  it('may be of many members of gzip, as many as fit', async () => {
    const member = gzipSync('x')
    const bytes = Buffer.alloc(1000 * member.length, member)
    expect(await decompress(1, bytes, 1000)).toHaveLength(1000)
    await expect(decompress(1, bytes, 999)).rejects.toBeInstanceOf(MyKafkaError)
  })
})

function codecOf(batch: Buffer): number {
  return (batch[BATCH_AT.attributes + 1] as number) & 7
}
