import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeStored, encodePacked, packedLength } from '../../src/log/record-codec.js'
import { records, safeInteger } from './arbitraries.js'

/** The stored form, written here from the description of the format. */
function store(offset: number, timestamp: number, packed: Buffer): Buffer {
  const head = Buffer.alloc(16)
  head.writeBigInt64BE(BigInt(offset), 0)
  head.writeBigInt64BE(BigInt(timestamp), 8)
  const body = Buffer.concat([head, packed])
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([body, crc])
}

describe('records', () => {
  it('come back from their stored form', () => {
    fc.assert(
      fc.property(
        records,
        fc.array(fc.tuple(safeInteger, safeInteger), { minLength: 20, maxLength: 20 }),
        (sent, stamps) => {
          const stored = sent.map((record, i) => {
            const [offset, timestamp] = stamps[i] as [number, number]
            return { entry: store(offset, timestamp, encodePacked([record])), offset, timestamp, ...record }
          })
          const read = decodeStored(Buffer.concat(stored.map(({ entry }) => entry)), { checkCrcs: true })
          expect(read).toEqual(stored.map(({ entry, ...record }) => record))
        },
      ),
    )
  })

  it('are packed the same together and one by one', () => {
    fc.assert(
      fc.property(records, (sent) => {
        const together = encodePacked(sent)
        expect(together).toEqual(Buffer.concat(sent.map((record) => encodePacked([record]))))
        expect(together).toHaveLength(packedLength(sent))
      }),
    )
  })

  it('are packed from strings as from their UTF-8', () => {
    const text = fc.string({ unit: 'binary', maxLength: 50 })
    fc.assert(
      fc.property(text, text, (key, value) => {
        expect(encodePacked([{ key, value }])).toEqual(
          encodePacked([{ key: Buffer.from(key), value: Buffer.from(value) }]),
        )
      }),
    )
  })
})
