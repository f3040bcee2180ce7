import { expect, it } from 'vitest'
import type { KafkaCall, KafkaHandler } from '../../../src/server/kafka/kafka-handler.js'
import { serve } from '../../../src/server/kafka/served-api.js'
import { type MetadataRequest, type MetadataResponse, metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { encodeRequest, type KafkaFrame, readRequestHeader } from '../../../src/wire/kafka/request-header.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'

const VERSION = 9

function frameOf(count: number): KafkaFrame {
  const topics = Array.from({ length: count }, (_, i) => ({ name: `topic ${i}`, topicId: ZERO_UUID }))
  const flags = { includeClusterAuthorizedOperations: false, includeTopicAuthorizedOperations: false }
  const request = { topics, allowAutoTopicCreation: false, ...flags }
  const [whole] = encodeRequest(metadataApi, request, VERSION, 1, null) as [Buffer]
  return readRequestHeader(whole.subarray(4)) as KafkaFrame
}

/** What happens, in its order, when a request of so many names is answered. */
async function eventsOf(count: number): Promise<string[]> {
  const events: string[] = []
  const handler: KafkaHandler<MetadataRequest, MetadataResponse> = {
    api: metadataApi,
    versions: [VERSION, VERSION],
    async handle() {
      setImmediate(() => events.push('the event loop turns'))
      return {
        brokers: [],
        clusterId: null,
        controllerId: 0,
        get topics() {
          events.push('the response is encoded')
          return []
        },
      }
    },
    failed: () => ({ brokers: [], clusterId: null, controllerId: 0, topics: [] }),
  }
  await serve(handler).answer(frameOf(count), {} as KafkaCall)
  return events
}

it('lets the event loop turn before the response to a large request is encoded', async () => {
  expect(await eventsOf(1000)).toEqual(['the event loop turns', 'the response is encoded'])
  expect(await eventsOf(10)).toEqual(['the response is encoded'])
})
