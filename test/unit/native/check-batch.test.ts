import { describe, expect, it } from 'vitest'
import { native } from '../../../src/native/load.js'
import { BATCH } from '../../../src/native/native.js'
import { batchVector, clientBatches } from '../../support/kafka-batches.js'

const sent = (name: string): Buffer => Buffer.from(batchVector(name).sent, 'hex')

function check(bytes: Uint8Array, maxBytes = 1 << 20): Float64Array {
  const out = new Float64Array(BATCH.fields)
  native.checkBatch(bytes, maxBytes, out)
  return out
}

describe('checkBatch', () => {
  it.each(clientBatches)('fills in what $by wrote: $name', (vector) => {
    const bytes = Buffer.from(vector.sent, 'hex')
    const out = check(bytes)
    expect(out[BATCH.length]).toBe(bytes.length)
    for (const field of [
      'count',
      'lastOffsetDelta',
      'attributes',
      'baseTimestamp',
      'maxTimestamp',
      'producerId',
      'producerEpoch',
      'baseSequence',
    ] as const) {
      expect(out[BATCH[field]], field).toBe(vector[field])
    }
  })

  it('says by its code what is wrong', () => {
    expect(() => check(sent('control'))).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
    expect(() => check(Buffer.concat([sent('gzip'), sent('gzip')]))).toThrow(
      expect.objectContaining({ code: 'INVALID_RECORD' }),
    )
    expect(() => check(sent('gzip').subarray(1))).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
    expect(() => check(sent('gzip').subarray(0, -1))).toThrow(expect.objectContaining({ code: 'CORRUPT_MESSAGE' }))
    expect(() => check(sent('gzip'), 100)).toThrow(expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }))
    const flipped = sent('gzip')
    flipped[100] = ~(flipped[100] as number)
    expect(() => check(flipped)).toThrow(expect.objectContaining({ code: 'CORRUPT_MESSAGE' }))
  })

  it('refuses arguments of other types', () => {
    const bytes = sent('gzip')
    expect(() => native.checkBatch(bytes, 1e6, new Float64Array(9))).toThrow(TypeError)
    expect(() => native.checkBatch(bytes, -1, new Float64Array(BATCH.fields))).toThrow(RangeError)
    expect(() => native.checkBatch('bytes' as unknown as Buffer, 1e6, new Float64Array(BATCH.fields))).toThrow(
      TypeError,
    )
  })
})
