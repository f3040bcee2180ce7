import { readdirSync, readlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Client, type MyKafkaError } from '../../../src/client/index.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { newTopics } from '../../support/admin-requests.js'
import { startBroker } from '../../support/broker.js'
import { fetch, produce, sentBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { testRandom } from '../../support/random.js'

const PARTITIONS = 3
const ROUNDS = 4
const OFFSET_OUT_OF_RANGE = 1
const UNKNOWN_TOPIC_OR_PARTITION = 3
const UNKNOWN_TOPIC_ID = 100
/** No test waits so long: a Fetch that does is one that deletion did not wake. */
const FOREVER_MS = 3_600_000

/** The batches of the vectors are years old. */
const LASTING = { 'retention.ms': '-1' }
/** Retention removes while it is read and deleted. */
const AGEING = { ...LASTING, 'retention.bytes': '20000', 'segment.bytes': '8192', 'file.delete.delay.ms': '10' }

/** Repeats it until it is told that the topic is gone. Anything else that goes wrong is a failure. */
async function untilGone(call: () => Promise<number>, allowed: readonly number[] = [0]): Promise<number> {
  for (let times = 0; ; times++) {
    const errorCode = await call()
    if (errorCode === UNKNOWN_TOPIC_OR_PARTITION) return times
    expect(allowed).toContain(errorCode)
  }
}

async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call
    return 0
  } catch (error) {
    const { code } = error as MyKafkaError
    if (code === 'OFFSET_OUT_OF_RANGE') return OFFSET_OUT_OF_RANGE
    expect(code).toBe('UNKNOWN_TOPIC_OR_PARTITION')
    return UNKNOWN_TOPIC_OR_PARTITION
  }
}

it.each([
  { kind: 'lasting', format: 'mykafka', configs: LASTING, readable: [0] },
  { kind: 'lasting', format: 'kafka', configs: LASTING, readable: [0] },
  { kind: 'ageing', format: 'mykafka', configs: AGEING, readable: [0, OFFSET_OUT_OF_RANGE] },
  { kind: 'ageing', format: 'kafka', configs: AGEING, readable: [0, OFFSET_OUT_OF_RANGE] },
])('a $kind $format topic is deleted while both wires write and read it', async (options) => {
  const { format, configs, readable } = options
  const random = testRandom()
  const { port, logger } = await startBroker({ segmentBytes: 64 << 10, retentionCheckIntervalMs: 5 })
  const batch = sentBatch('60 records')
  const admin = await KafkaPeer.connect(port)
  const clients = await Promise.all(Array.from({ length: 5 }, () => Client.connect({ port })))
  const peers = await Promise.all(Array.from({ length: 5 }, () => KafkaPeer.connect(port)))
  const make = async (name: string, more: Record<string, string> = configs): Promise<string> => {
    const topic = { name, numPartitions: PARTITIONS, configs: { 'record.format': format, ...more } }
    const { topics } = await admin.call(createTopicsApi, 7, newTopics([topic]))
    expect(topics[0]?.errorCode).toBe(0)
    return topics[0]?.topicId as string
  }
  await make('bystander', LASTING)
  let bystanding = true
  let bystood = 0
  const bystander = (async () => {
    const client = await Client.connect({ port })
    for (; bystanding; bystood++) {
      const { baseOffset } = await client.produce('bystander', [{ value: `${bystood}` }], { partition: 0 })
      expect(baseOffset).toBe(bystood)
    }
    await client.close()
  })()

  for (let round = 0; round < ROUNDS; round++) {
    const topicId = await make('t')
    const values = [{ key: `${round}`, value: `round ${round} `.repeat(100) }]
    const work = [
      ...clients
        .slice(0, 3)
        .map((client, partition) => untilGone(() => codeOf(client.produce('t', values, { partition })))),
      ...clients.slice(3).map((client) => {
        const partition = random.integer(0, PARTITIONS - 1)
        let offset = 0
        return untilGone(async () => {
          const read = client.fetch('t', partition, offset, { maxBytes: 256 << 10 })
          const errorCode = await codeOf(read)
          if (errorCode === 0) offset = ((await read).at(-1)?.offset ?? offset - 1) + 1
          // What was to be read next is removed: as a client does, it goes on where the log begins, or will.
          if (errorCode === OFFSET_OUT_OF_RANGE) offset += 50
          return errorCode
        }, readable)
      }),
      ...peers
        .slice(0, 2)
        .map((peer, partition) => untilGone(async () => (await produce(peer, 't', batch, { partition })).errorCode)),
      untilGone(async () => {
        const from = { topic: 't', offset: 0, maxBytes: 1 << 20 }
        const [found] = await fetch(peers[2] as KafkaPeer, from, { version: 12 })
        return found?.errorCode as number
      }, readable),
    ]
    // These wait for more than comes: only the deletion ends it.
    const waiting = peers.slice(3).map((peer, index) => {
      const from = { topic: 't', topicId, partition: index, offset: 0, maxBytes: 1 << 30 }
      return fetch(peer, from, { maxWaitMs: FOREVER_MS, minBytes: 1 << 30, maxBytes: 1 << 30, version: 17 })
    })
    const written = random.integer(bystood + 5, bystood + 40)
    await expect.poll(() => bystood, { interval: 1, timeout: 30_000 }).toBeGreaterThan(written)
    const topics = [{ name: 't', topicId: ZERO_UUID }]
    const { responses } = await admin.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 30_000 })
    expect(responses[0]?.errorCode).toBe(0)
    await Promise.all(work)
    for (const [found] of await Promise.all(waiting))
      expect([...readable, UNKNOWN_TOPIC_ID]).toContain(found?.errorCode)
    const [found] = await fetch(peers[3] as KafkaPeer, { topic: 't', topicId, offset: 0 }, { version: 17 })
    expect(found?.errorCode).toBe(UNKNOWN_TOPIC_ID)
    // A namesake has nothing of it.
    await make('t')
    const [client] = clients as [Client]
    const [described] = await client.metadata('t')
    expect(described?.partitions).toEqual(Array(PARTITIONS).fill({ logStartOffset: 0, highWatermark: 0 }))
    expect(await client.fetchOffset('group', 't', 0)).toBeNull()
    await admin.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 30_000 })
  }
  bystanding = false
  await bystander
  await Promise.all(clients.map((client) => client.close()))
  expect(logger.messages('error')).toEqual([])
  await expect.poll(deletedFilesOpen, { timeout: 30_000 }).toEqual([])
})

/** What is deleted and still takes room, since something keeps it open. */
function deletedFilesOpen(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.includes('mykafka') && target.endsWith('(deleted)') && target.includes('.log') ? [target] : []
    } catch {
      return []
    }
  })
}
