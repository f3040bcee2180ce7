import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRequest, encodeRequest, readRequestHeader } from '../../src/wire/kafka/request-header.js'
import * as awaitCall from '../../src/wire/mykafka/await.js'
import * as commitOffset from '../../src/wire/mykafka/commit-offset.js'
import * as createTopic from '../../src/wire/mykafka/create-topic.js'
import * as describeStorage from '../../src/wire/mykafka/describe-storage.js'
import * as fetch from '../../src/wire/mykafka/fetch.js'
import * as fetchOffset from '../../src/wire/mykafka/fetch-offset.js'
import * as metadata from '../../src/wire/mykafka/metadata.js'
import * as produce from '../../src/wire/mykafka/produce.js'
import { edited, edits, sizeOf, valueOrRefusal } from '../support/hostile-bytes.js'
import { codecs } from '../support/kafka-codec-properties.js'
import { anyStruct } from '../support/kafka-message-arbitraries.js'
import { scaled } from '../support/scale.js'
import { anyName, awaitedPartitions, bytes, int32, safeInteger } from './arbitraries.js'

const nat32 = fc.nat({ max: 0x7fffffff })

describe('a request of Kafka whose bytes were changed, from its header on', () => {
  const requests = codecs.map(({ api, model }) => {
    const [min, max] = api.versions
    const version = fc.integer({ min, max })
    return version.chain((of) => fc.tuple(fc.constant(api), fc.constant(of), anyStruct(model.request, of)))
  })

  it('is read or refused, whatever API and version it then claims', () => {
    const byKey = new Map(codecs.map(({ api }) => [api.key, api]))
    fc.assert(
      fc.property(fc.oneof(...requests), edits, ([api, version, message], changes) => {
        const whole = Buffer.concat(encodeRequest(api, message, version, 7, 'client') as Buffer[]).subarray(4)
        const frame = edited(whole, changes)
        const head = readRequestHeader(frame)
        if (head === null) {
          expect(frame.length).toBeLessThan(8)
          return
        }
        const claimed = byKey.get(head.header.apiKey)
        if (claimed === undefined) return
        valueOrRefusal(() => decodeRequest(claimed, head), ['INVALID_REQUEST', 'UNSUPPORTED_VERSION'])
      }),
      { numRuns: scaled(250, 50_000) },
    )
  })

  it('may have tagged fields that nobody knows, each with any bytes', () => {
    const fields = fc.array(bytes(9), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.oneof(...requests), fields, edits, ([api, version, message], tagged, changes) => {
        if (version < api.flexibleFrom) return
        const whole = Buffer.concat(encodeRequest(api, message, version, 7, null) as Buffer[])
        // The tags of the header stand behind the client id, which is null.
        const unknown = tagged.map((content, i) => Buffer.concat([Buffer.of(100 + i, content.length), content]))
        const tags = Buffer.concat([Buffer.of(tagged.length), ...unknown])
        const read = (inserted: Buffer) => {
          const frame = readRequestHeader(Buffer.concat([whole.subarray(4, 14), inserted, whole.subarray(15)]))
          return decodeRequest(api, frame as NonNullable<typeof frame>)
        }
        expect(read(tags)).toEqual(read(Buffer.of(0)))
        valueOrRefusal(() => read(edited(tags, changes)), ['INVALID_REQUEST'])
      }),
      { numRuns: scaled(80, 20_000) },
    )
  })
})

describe('a frame of MyKafka whose bytes were changed', () => {
  const request = ['INVALID_REQUEST']
  const response = ['INVALID_RESPONSE']
  const partition = fc.record({ logStartOffset: safeInteger, highWatermark: safeInteger })
  const topics = fc.array(fc.record({ topic: anyName, partitions: fc.array(partition, { maxLength: 4 }) }), {
    maxLength: 4,
  })
  const frames: [string, readonly string[], (frame: Buffer) => unknown, fc.Arbitrary<Buffer>][] = [
    [
      'PRODUCE',
      ['INVALID_REQUEST', 'INVALID_RECORD'],
      produce.decodeRequest,
      fc.tuple(anyName, int32, nat32, bytes(60)).map((of) => produce.encodeRequest(...of)),
    ],
    [
      'FETCH',
      request,
      fetch.decodeRequest,
      fc.tuple(anyName, int32, safeInteger, nat32).map((of) => fetch.encodeRequest(...of)),
    ],
    [
      'CREATE_TOPIC',
      request,
      createTopic.decodeRequest,
      fc.tuple(anyName, int32).map((of) => createTopic.encodeRequest(...of)),
    ],
    [
      'COMMIT_OFFSET',
      request,
      commitOffset.decodeRequest,
      fc.tuple(anyName, anyName, int32, safeInteger).map((of) => commitOffset.encodeRequest(...of)),
    ],
    [
      'FETCH_OFFSET',
      request,
      fetchOffset.decodeRequest,
      fc.tuple(anyName, anyName, int32).map((of) => fetchOffset.encodeRequest(...of)),
    ],
    ['METADATA', request, metadata.decodeRequest, anyName.map((of) => metadata.encodeRequest(of))],
    [
      'DESCRIBE_STORAGE',
      request,
      describeStorage.decodeRequest,
      anyName.map((of) => describeStorage.encodeRequest(of)),
    ],
    [
      'AWAIT',
      request,
      awaitCall.decodeRequest,
      fc.tuple(nat32, awaitedPartitions(anyName)).map((of) => awaitCall.encodeRequest(...of)),
    ],
    ['METADATA answer', response, metadata.decodeResponse, topics.map((of) => metadata.encodeResponse(0, of))],
    [
      'DESCRIBE_STORAGE answer',
      response,
      describeStorage.decodeResponse,
      anyName.map((topic) => describeStorage.encodeResponse(0, { topic, now: 1, clockHeld: false, partitions: [] })),
    ],
    [
      'AWAIT answer',
      response,
      awaitCall.decodeResponse,
      fc.array(nat32, { maxLength: 5 }).map((of) => awaitCall.encodeResponse(0, of)),
    ],
    [
      'FETCH answer',
      response,
      fetch.decodeResponse,
      bytes(60).map((of) => Buffer.concat([fetch.encodeResponseHead(0, 1, of.length), of])),
    ],
  ]

  it.each(frames)('is read or refused: %s', (_, codes, decode, valid) => {
    fc.assert(
      fc.property(valid, edits, (whole, changes) => {
        const frame = edited(whole.subarray(4), changes)
        const read = valueOrRefusal(() => decode(frame), codes)
        expect(sizeOf(read)).toBeLessThanOrEqual(3 * frame.length + 3)
      }),
      { numRuns: scaled(50, 20_000) },
    )
  })
})
