import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as awaitCall from '../../src/wire/mykafka/await.js'
import * as commitOffset from '../../src/wire/mykafka/commit-offset.js'
import * as createTopic from '../../src/wire/mykafka/create-topic.js'
import * as describeStorage from '../../src/wire/mykafka/describe-storage.js'
import * as fetch from '../../src/wire/mykafka/fetch.js'
import * as fetchOffset from '../../src/wire/mykafka/fetch-offset.js'
import * as metadata from '../../src/wire/mykafka/metadata.js'
import * as produce from '../../src/wire/mykafka/produce.js'
import { detectWire, wireOfFrame } from '../../src/wire/wire-detection.js'
import { anyName, awaitedPartitions, bytes, int32, safeInteger, topicName } from './arbitraries.js'

const nat32 = fc.nat({ max: 0x7fffffff })

const mykafkaRequest = fc.oneof(
  fc.tuple(topicName, int32, nat32, bytes(60)).map((fields) => produce.encodeRequest(...fields)),
  fc.tuple(topicName, int32, safeInteger, nat32).map((fields) => fetch.encodeRequest(...fields)),
  fc.tuple(topicName, int32).map((fields) => createTopic.encodeRequest(...fields)),
  fc.tuple(anyName, topicName, int32, safeInteger).map((fields) => commitOffset.encodeRequest(...fields)),
  fc.tuple(anyName, topicName, int32).map((fields) => fetchOffset.encodeRequest(...fields)),
  fc.option(topicName, { nil: null }).map((topic) => metadata.encodeRequest(topic)),
  topicName.map((topic) => describeStorage.encodeRequest(topic)),
  fc.tuple(nat32, awaitedPartitions(topicName)).map((fields) => awaitCall.encodeRequest(...fields)),
)

/** Kafka's request header: api key, version, correlation id, client id; behind it whatever the call holds. */
const kafkaRequest = fc
  .tuple(
    fc.nat({ max: 100 }),
    fc.nat({ max: 255 }),
    int32,
    fc.option(fc.string({ maxLength: 300 }), { nil: null }),
    bytes(60),
  )
  .map(([apiKey, version, correlationId, clientId, rest]) => {
    const id = Buffer.from(clientId ?? '')
    const header = Buffer.alloc(14)
    header.writeInt32BE(10 + id.length + rest.length, 0)
    header.writeInt16BE(apiKey, 4)
    header.writeInt16BE(version, 6)
    header.writeInt32BE(correlationId, 8)
    header.writeInt16BE(clientId === null ? -1 : id.length, 12)
    return Buffer.concat([header, id, rest])
  })

describe('the first frame of a connection', () => {
  for (const [wire, request] of [
    ['mykafka', mykafkaRequest],
    ['kafka', kafkaRequest],
  ] as const) {
    it(`decides for ${wire} where it is a request of it`, () => {
      fc.assert(
        fc.property(request, (frame) => {
          expect(detectWire(frame)).toBe(wire)
          expect(detectWire(frame.subarray(0, 7))).toBe(wire)
          expect(wireOfFrame(frame.subarray(4))).toBe(wire)
        }),
        { numRuns: 1000 },
      )
    })
  }

  it('decides once: more bytes change nothing', () => {
    fc.assert(
      fc.property(bytes(20), (start) => {
        let decided: string | null = null
        for (let length = 0; length <= start.length; length++) {
          const now = detectWire(start.subarray(0, length))
          if (decided !== null) expect(now).toBe(decided)
          decided = now
        }
        if (start.length >= 7) expect(decided).not.toBeNull()
      }),
    )
  })
})
