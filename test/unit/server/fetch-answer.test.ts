import { expect, it } from 'vitest'
import type { FileSlice } from '../../../src/log/file-slice.js'
import type { NativeSegment } from '../../../src/native/native.js'
import { MOST_BYTES } from '../../../src/server/kafka/fetch/fetch-read.js'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { encodeResponse } from '../../../src/wire/kafka/request-header.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'

const PARTITIONS = 100_000

/** The records of all the partitions together are so long. */
function encode(bytes: number): { length: number } {
  const slice: FileSlice = { segment: {} as NativeSegment, position: 0, length: bytes, release() {} }
  const partitions = Array.from({ length: PARTITIONS }, (_, partitionIndex) => ({
    partitionIndex,
    errorCode: 0,
    highWatermark: 0,
    records: partitionIndex === 0 ? [slice] : Buffer.alloc(0),
  }))
  const parts = encodeResponse(fetchApi, { responses: [{ topic: 't', topicId: ZERO_UUID, partitions }] }, 12, 1)
  return { length: parts.reduce((sum, part) => sum + part.length, 0) }
}

it('the longest answer to a Fetch has a length', () => {
  expect(() => encode(2 ** 31 - 1)).toThrow(expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }))
  expect(encode(MOST_BYTES).length).toBeGreaterThan(MOST_BYTES)
})
