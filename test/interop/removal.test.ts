/** Topics from which records go: every client reads over the gaps, and begins anew where what it asks for is gone. */
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/client.js'
import { isApacheKafka } from './support/broker-choice.js'
import type { ReadRecord } from './support/client-program.js'
import { KAFKAJS } from './support/clients.js'
import { byName, installedClients } from './support/installed-clients.js'
import { overMyKafka, readOverMyKafka } from './support/mykafka-wire.js'
import { base64, numbered, type WrittenRecord } from './support/records.js'
import { consume, createTopic, fresh, Member, produce } from './support/scenario.js'

const KEYS = 30
const ROUNDS = 40
const CODECS = ['none', 'gzip', 'snappy', 'lz4'] as const
const COMPACTED = { 'cleanup.policy': 'compact', 'segment.bytes': '4096', 'min.cleanable.dirty.ratio': '0' }

/** In each round every key gets a value; in the last one, some are deleted. */
function roundOf(round: number): WrittenRecord[] {
  return Array.from({ length: KEYS }, (_, key) => ({
    partition: 0,
    key: base64(`key ${key}`),
    value: round === ROUNDS - 1 && key % 7 === 0 ? null : base64(`value ${round} of ${key}`),
    headers: [],
    timestamp: null,
  }))
}

/** Fills the segments that hold the rounds, so that all of them are compacted. */
function filling(): WrittenRecord[] {
  const value = base64('.'.repeat(400))
  return numbered('', 25, 1).map((record, index) => ({ ...record, key: base64(`filling ${index}`), value }))
}

const keyOf = ({ key }: { key: string | null }): string => Buffer.from(key ?? '', 'base64').toString()
const isRound = (record: { key: string | null }): boolean => keyOf(record).startsWith('key ')
const placeOf = ({ offset, key, value }: ReadRecord): string => JSON.stringify([offset, key, value])

/** A topic whose rounds are compacted, and all that is left of it. */
async function compactedTopic(
  config: Readonly<Record<string, string>>,
): Promise<{ topic: string; left: ReadRecord[] }> {
  const topic = await createTopic('compacted', 1, { ...COMPACTED, ...config })
  const rounds = Array.from({ length: ROUNDS }, (_, round) => ({
    topic,
    codec: CODECS[round % CODECS.length] as (typeof CODECS)[number],
    records: roundOf(round),
  }))
  await produce(KAFKAJS, [...rounds, { topic, records: filling() }])
  let left: ReadRecord[] = []
  const rest = async (): Promise<number> => {
    left = await readOverMyKafka([topic], 1)
    return left.filter(isRound).length
  }
  await expect.poll(rest, { timeout: 60_000 }).toBe(KEYS)
  return { topic, left }
}

const topics = new Map<string, ReturnType<typeof compactedTopic>>()

/** One for all clients of a format. */
function sharedTopic(format: string): ReturnType<typeof compactedTopic> {
  const made = topics.get(format) ?? compactedTopic({ 'record.format': format })
  topics.set(format, made)
  return made
}

const RETAINED = { 'segment.bytes': '4096', 'retention.bytes': '8192', 'file.delete.delay.ms': '0' }

/** A topic from which retention has removed the beginning, and a group that stands there. */
async function retainedTopic(): Promise<{ topic: string; group: string; left: string[] }> {
  const topic = await createTopic('retained', 1, RETAINED)
  const batches = Array.from({ length: 40 }, (_, batch) => ({ topic, records: numbered(`batch ${batch} of`, 20, 1) }))
  await produce(KAFKAJS, batches)
  const group = fresh('group')
  return await overMyKafka(async (client) => {
    // One check removes all that is too much; one that ran while this was written may have removed less.
    let before = -1
    let start = 0
    const isRemoved = async (): Promise<boolean> => {
      before = start
      start = (await client.metadata(topic))[0]?.partitions[0]?.logStartOffset ?? 0
      return start === before && start > 100
    }
    await expect.poll(isRemoved, { timeout: 30_000, interval: 500 }).toBe(true)
    await client.commitOffset(group, topic, 0, 50)
    return { topic, group, left: await readFrom(client, topic, start) }
  })
}

async function readFrom(client: Client, topic: string, start: number): Promise<string[]> {
  const values: string[] = []
  for (let offset = start; ; ) {
    const records = await client.fetch(topic, 0, offset)
    if (records.length === 0) return values
    values.push(...records.map(({ value }) => String(value)))
    offset = (records.at(-1)?.offset ?? offset) + 1
  }
}

// Of Apache Kafka's own cleaner it is not known when it is done.
describe.runIf(!isApacheKafka)('removal', () => {
  it.each(['kafka', 'mykafka'])('compaction leaves the last value of each key, %s', async (format) => {
    const { left } = await sharedTopic(format)
    const last = new Map(roundOf(ROUNDS - 1).map((record) => [keyOf(record), record.value]))
    expect(new Map(left.filter(isRound).map((record) => [keyOf(record), record.value]))).toEqual(last)
    expect(left.filter((record) => !isRound(record))).toHaveLength(filling().length)
    expect(left[0]?.offset).toBeGreaterThanOrEqual(KEYS)
  })

  describe.each(byName(installedClients()))('%s', (_name, client) => {
    it.each(['kafka', 'mykafka'])('reads a compacted topic to its end, %s', async (format) => {
      const { topic, left } = await sharedTopic(format)
      const read = await consume(client, { [topic]: left.length })
      expect(read.map(placeOf)).toEqual(left.map(placeOf))
    })

    it('begins at the earliest where what its group is to read is gone', async () => {
      const { topic, group, left } = await retainedTopic()
      const member = await Member.join(client, { topic, group, reset: 'earliest' })
      await member.read(left)
      expect(member.values).toEqual(left)
      await member.leave()
    })

    if (client.alwaysResetsToEarliest) return
    it('begins at the latest where it is told to', async () => {
      const { topic, group } = await retainedTopic()
      const member = await Member.join(client, { topic, group, reset: 'latest' })
      await member.has(1)
      // It stands at the end only when it has asked for it: what is written before is not for it.
      let sent = 0
      const isRead = async (): Promise<boolean> => {
        if (member.values.length === 0) await produce(KAFKAJS, [{ topic, records: numbered(`later ${sent++}`, 1, 1) }])
        return member.values.length > 0
      }
      await expect.poll(isRead, { timeout: 60_000, interval: 500 }).toBe(true)
      expect(member.values.filter((value) => !value.startsWith('later '))).toEqual([])
      await member.leave()
    })
  })
})
