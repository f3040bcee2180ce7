import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MyKafkaError } from '../../src/errors.js'
import { decodeStored, encodePacked } from '../../src/log/record-codec.js'
import * as awaitCall from '../../src/wire/mykafka/await.js'
import * as commitOffset from '../../src/wire/mykafka/commit-offset.js'
import * as createTopic from '../../src/wire/mykafka/create-topic.js'
import * as describeStorage from '../../src/wire/mykafka/describe-storage.js'
import * as fetch from '../../src/wire/mykafka/fetch.js'
import * as fetchOffset from '../../src/wire/mykafka/fetch-offset.js'
import * as metadata from '../../src/wire/mykafka/metadata.js'
import * as produce from '../../src/wire/mykafka/produce.js'
import { anyName, awaitedPartitions, bytes, int32, records, safeInteger } from './arbitraries.js'

const int8 = fc.integer({ min: -128, max: 127 })
const nat32 = fc.nat({ max: 0x7fffffff })

/** The frame without its length prefix, which must be right. */
function unframed(whole: Buffer): Buffer {
  expect(whole.readInt32BE(0)).toBe(whole.length - 4)
  return whole.subarray(4)
}

function partitionMetadata(): fc.Arbitrary<metadata.PartitionMetadata> {
  return fc.record({ logStartOffset: safeInteger, highWatermark: safeInteger }, { noNullPrototype: true })
}

const topics = fc.array(
  fc.record({ topic: anyName, partitions: fc.array(partitionMetadata(), { maxLength: 5 }) }, { noNullPrototype: true }),
  { maxLength: 5 },
)

const segments = fc.array(
  fc.record(
    {
      baseOffset: safeInteger,
      nextOffset: safeInteger,
      bytes: nat32,
      largestTimestamp: fc.option(safeInteger, { nil: null }),
      active: fc.boolean(),
      compactedAt: fc.option(safeInteger, { nil: null }),
      damagedBytes: nat32,
      damages: fc.array(
        fc.record(
          { position: nat32, bytes: nat32, firstOffset: safeInteger, nextOffset: safeInteger },
          { noNullPrototype: true },
        ),
        { maxLength: 3 },
      ),
      reason: fc.string(),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 3 },
)

const partitions = fc.oneof(
  fc.record({ partition: int32, offline: fc.constant(true as const) }, { noNullPrototype: true }),
  fc.record(
    {
      partition: int32,
      offline: fc.constant(false as const),
      logStartOffset: safeInteger,
      highWatermark: safeInteger,
      logEndOffset: safeInteger,
      recoveryPoint: safeInteger,
      bytes: nat32,
      segments,
      deletedFiles: nat32,
      lastRemoval: fc.option(
        fc.record({ at: safeInteger, segments: nat32, bytes: nat32, reason: fc.string() }, { noNullPrototype: true }),
        { nil: null },
      ),
      compaction: fc.option(
        fc.record(
          {
            firstDirtyOffset: safeInteger,
            endOffset: safeInteger,
            cleanBytes: nat32,
            dirtyBytes: nat32,
            dirtyRatio: fc.constantFrom(0, 0.25, 1),
            running: fc.boolean(),
            last: fc.constant(null),
            failure: fc.option(fc.string(), { nil: null }),
          },
          { noNullPrototype: true },
        ),
        { nil: null },
      ),
    },
    { noNullPrototype: true },
  ),
)

const storages = fc.record(
  { topic: anyName, now: safeInteger, clockHeld: fc.boolean(), partitions: fc.array(partitions, { maxLength: 3 }) },
  { noNullPrototype: true },
)

describe('what is encoded comes back', () => {
  it('PRODUCE', () => {
    fc.assert(
      fc.property(anyName, int32, records, int8, int32, safeInteger, (topic, partition, sent, errorCode, to, base) => {
        const packed = encodePacked(sent)
        const request = produce.decodeRequest(unframed(produce.encodeRequest(topic, partition, sent.length, packed)))
        expect(request).toEqual({ topic, partition, recordCount: sent.length, records: packed })
        expect(produce.peekFirstKey(request.records)).toEqual(sent[0]?.key)
        const response = produce.decodeResponse(unframed(produce.encodeResponse(errorCode, to, base, sent.length)))
        expect(response).toEqual({ errorCode, partition: to, baseOffset: base, count: sent.length })
      }),
    )
  })

  it('FETCH', () => {
    fc.assert(
      fc.property(
        anyName,
        int32,
        safeInteger,
        fc.nat(),
        int8,
        nat32,
        bytes(100),
        (topic, partition, offset, maxBytes, errorCode, recordCount, stored) => {
          const request = fetch.decodeRequest(unframed(fetch.encodeRequest(topic, partition, offset, maxBytes)))
          expect(request).toEqual({ topic, partition, offset, maxBytes: Math.min(maxBytes, fetch.MAX_RECORD_BYTES) })
          const head = fetch.encodeResponseHead(errorCode, recordCount, stored.length)
          const response = fetch.decodeResponse(unframed(Buffer.concat([head, stored])))
          expect(response).toEqual({ errorCode, recordCount, records: stored })
        },
      ),
    )
  })

  it('CREATE_TOPIC', () => {
    fc.assert(
      fc.property(anyName, int32, int8, (topic, partitionCount, status) => {
        const request = createTopic.decodeRequest(unframed(createTopic.encodeRequest(topic, partitionCount)))
        expect(request).toEqual({ topic, partitionCount })
        expect(createTopic.decodeResponse(unframed(createTopic.encodeResponse(status)))).toBe(status)
      }),
    )
  })

  it('COMMIT_OFFSET and FETCH_OFFSET', () => {
    fc.assert(
      fc.property(anyName, anyName, int32, safeInteger, int8, (group, topic, partition, offset, errorCode) => {
        const commit = commitOffset.decodeRequest(unframed(commitOffset.encodeRequest(group, topic, partition, offset)))
        expect(commit).toEqual({ group, topic, partition, offset })
        expect(commitOffset.decodeResponse(unframed(commitOffset.encodeResponse(errorCode)))).toBe(errorCode)
        const asked = fetchOffset.decodeRequest(unframed(fetchOffset.encodeRequest(group, topic, partition)))
        expect(asked).toEqual({ group, topic, partition })
        const response = fetchOffset.decodeResponse(unframed(fetchOffset.encodeResponse(errorCode, offset)))
        expect(response).toEqual({ errorCode, offset })
      }),
    )
  })

  it('METADATA', () => {
    fc.assert(
      fc.property(anyName, int8, topics, (topic, errorCode, described) => {
        expect(metadata.decodeRequest(unframed(metadata.encodeRequest(topic)))).toBe(topic === '' ? null : topic)
        const response = metadata.decodeResponse(unframed(metadata.encodeResponse(errorCode, described)))
        expect(response).toEqual({ errorCode, topics: described })
      }),
    )
  })

  it('AWAIT', () => {
    fc.assert(
      fc.property(
        nat32,
        awaitedPartitions(anyName),
        int8,
        fc.array(nat32),
        (maxWaitMs, awaited, errorCode, indices) => {
          const request = awaitCall.decodeRequest(unframed(awaitCall.encodeRequest(maxWaitMs, awaited)))
          expect(request).toEqual({ maxWaitMs, partitions: awaited })
          const response = awaitCall.decodeResponse(unframed(awaitCall.encodeResponse(errorCode, indices)))
          expect(response).toEqual({ errorCode, indices })
        },
      ),
    )
  })

  it('DESCRIBE_STORAGE', () => {
    fc.assert(
      fc.property(anyName, int8, fc.option(storages, { nil: null }), (topic, errorCode, storage) => {
        expect(describeStorage.decodeRequest(unframed(describeStorage.encodeRequest(topic)))).toBe(topic)
        const response = describeStorage.decodeResponse(unframed(describeStorage.encodeResponse(errorCode, storage)))
        expect(response).toEqual({ errorCode, storage })
      }),
    )
  })
})

const REQUESTS: [(frame: Buffer) => unknown, Buffer][] = [
  [createTopic.decodeRequest, createTopic.encodeRequest('topic', 3)],
  [fetch.decodeRequest, fetch.encodeRequest('topic', 1, 2, 3)],
  [commitOffset.decodeRequest, commitOffset.encodeRequest('group', 'topic', 1, 2)],
  [fetchOffset.decodeRequest, fetchOffset.encodeRequest('group', 'topic', 1)],
  [metadata.decodeRequest, metadata.encodeRequest('topic')],
  [describeStorage.decodeRequest, describeStorage.encodeRequest('topic')],
  [awaitCall.decodeRequest, awaitCall.encodeRequest(5, [{ topic: 'topic', partition: 1, offset: 2 }])],
]
const RESPONSES: [(frame: Buffer) => unknown, Buffer][] = [
  [produce.decodeResponse, produce.encodeResponse(0, 1, 2, 3)],
  [createTopic.decodeResponse, createTopic.encodeResponse(0)],
  [commitOffset.decodeResponse, commitOffset.encodeResponse(0)],
  [fetchOffset.decodeResponse, fetchOffset.encodeResponse(0, 5)],
  [
    metadata.decodeResponse,
    metadata.encodeResponse(0, [{ topic: 'a', partitions: [{ logStartOffset: 1, highWatermark: 2 }] }]),
  ],
  [
    describeStorage.decodeResponse,
    describeStorage.encodeResponse(0, { topic: 'a', now: 0, clockHeld: false, partitions: [] }),
  ],
  [awaitCall.decodeResponse, awaitCall.encodeResponse(0, [0, 7])],
]

describe('what is cut off or goes on', () => {
  it('is malformed at every byte', () => {
    for (const [decoders, code] of [
      [REQUESTS, 'INVALID_REQUEST'],
      [RESPONSES, 'INVALID_RESPONSE'],
    ] as const) {
      for (const [decode, whole] of decoders) {
        const frame = whole.subarray(4)
        expect(() => decode(frame)).not.toThrow()
        for (let length = 1; length < frame.length; length++) {
          expect(() => decode(frame.subarray(0, length))).toThrow(expect.objectContaining({ code }))
        }
        expect(() => decode(Buffer.concat([frame, Buffer.alloc(1)]))).toThrow(expect.objectContaining({ code }))
      }
    }
  })

  it('is malformed in the head of a PRODUCE and of a FETCH response too', () => {
    const head = produce.encodeRequest('topic', 0, 1, Buffer.alloc(0)).subarray(4)
    for (let length = 1; length < head.length; length++) {
      expect(() => produce.decodeRequest(head.subarray(0, length))).toThrow('PRODUCE request: ')
    }
    for (let length = 1; length < 6; length++) {
      expect(() => fetch.decodeResponse(Buffer.alloc(length, 0))).toThrow('FETCH response: ')
    }
  })
})

describe('hostile bytes', () => {
  const decoders = [
    ...REQUESTS.map(([decode]) => decode),
    ...RESPONSES.map(([decode]) => decode),
    produce.decodeRequest,
    fetch.decodeResponse,
    produce.peekFirstKey,
    (frame: Buffer) => decodeStored(frame),
    (frame: Buffer) => decodeStored(frame, { checkCrcs: true }),
  ]
  const valid = [...REQUESTS, ...RESPONSES].map(([, whole]) => whole.subarray(4))
  const damaged = fc
    .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }))
    .map(([frame, changes]) => {
      const changed = Buffer.from(frame)
      for (const [at, byte] of changes) changed[at % changed.length] = byte
      return changed
    })
  const hostile = fc.oneof(bytes(80), damaged)

  it('are read or refused with a MyKafkaError', () => {
    fc.assert(
      fc.property(hostile, (frame) => {
        for (const decode of decoders) {
          try {
            decode(frame)
          } catch (error) {
            expect(error).toBeInstanceOf(MyKafkaError)
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('give the same answer whatever lies around them', () => {
    const answer = (decode: (frame: Buffer) => unknown, frame: Buffer): string => {
      try {
        return JSON.stringify(decode(frame))
      } catch (error) {
        return (error as Error).message
      }
    }
    fc.assert(
      fc.property(hostile, (frame) => {
        const around = [0x00, 0xff].map((filler) => {
          const wide = Buffer.alloc(frame.length + 200, filler)
          frame.copy(wide, 100)
          return wide.subarray(100, 100 + frame.length)
        })
        for (const decode of decoders) {
          expect(answer(decode, around[0] as Buffer)).toBe(answer(decode, around[1] as Buffer))
        }
      }),
      { numRuns: 500 },
    )
  })
})
