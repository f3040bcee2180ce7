import { expect } from 'vitest'
import type { Client } from '../../../src/client/index.js'
import { Ledger } from '../../support/ledger.js'
import type { Random } from '../../support/random.js'

export const TOPIC = 'topic'
export const PARTITIONS = 3
const REQUESTS = 60
/** So that segments roll all the while. */
export const ARGS = ['--segment-bytes', '65536', '--index-interval-bytes', '512']

/** What a broker was asked for and acknowledged. */
export class Account {
  readonly ledger = new Ledger()
  readonly topics = new Set<string>()
  /** By partition: the committed offset, and one that was sent behind it. */
  readonly committed = Array.from({ length: PARTITIONS }, () => new Set<number | null>([null]))
}

/** Everything that a broker writes for: topics, records over many segments, offsets. */
export async function work(client: Client, random: Random, account: Account): Promise<void> {
  await client.createTopic(TOPIC, PARTITIONS)
  account.topics.add(TOPIC)
  for (let i = 0; i < REQUESTS; i++) {
    const request = account.ledger.request(random, 0, random.integer(0, PARTITIONS - 1))
    const answer = await client.produce(TOPIC, request.records, { partition: request.partition })
    request.baseOffset = answer.baseOffset
    if (i % 10 !== 9) continue
    const committed = account.committed[request.partition] as Set<number>
    committed.add(answer.baseOffset)
    await client.commitOffset('group', TOPIC, request.partition, answer.baseOffset)
    committed.clear()
    committed.add(answer.baseOffset)
    await client.createTopic(`${TOPIC}-${i}`, PARTITIONS)
    account.topics.add(`${TOPIC}-${i}`)
  }
}

/** Holds what a broker has against the account. */
export async function expectAllThere(client: Client, { ledger, topics, committed }: Account): Promise<void> {
  const served = await client.metadata()
  for (const topic of topics) expect(served.map((found) => found.topic)).toContain(topic)
  for (const { topic, partitions } of served) {
    expect(partitions, topic).toHaveLength(PARTITIONS)
    if (topic !== TOPIC) continue
    for (const [partition, { highWatermark }] of partitions.entries()) {
      const records = []
      while (records.length < highWatermark) records.push(...(await client.fetch(TOPIC, partition, records.length)))
      expect(ledger.contradictions(partition, records)).toEqual([])
      expect(committed[partition]).toContain(await client.fetchOffset('group', TOPIC, partition))
    }
  }
}
