/** Each client by itself: it writes, reads, shares in groups and administers as it does with Apache Kafka. */
import { describe, expect, it } from 'vitest'
import { sharedBroker } from './support/broker.js'
import type { ReadRecord } from './support/client-program.js'
import { CODECS } from './support/clients.js'
import { byName, installedClients } from './support/installed-clients.js'
import { base64, numbered, type WrittenRecord } from './support/records.js'
import { type Batch, consume, createTopic, fresh, Member, produce, start, type ToldOffset } from './support/scenario.js'
import { type StoredBatch, storedBatches } from './support/stored-batches.js'

const content = ({ partition, key, value }: WrittenRecord | ReadRecord): string =>
  JSON.stringify([partition, key, value])

const byContent = (records: readonly (WrittenRecord | ReadRecord)[]): string[] => records.map(content).sort()

const values = (records: readonly WrittenRecord[]): string[] =>
  records.map(({ value }) => Buffer.from(value ?? '', 'base64').toString())

async function stored(topic: string, partition: number): Promise<StoredBatch[]> {
  return storedBatches((await sharedBroker()).segment(topic, partition))
}

/** Records without an acknowledgement arrive some time later. */
async function storedCount(topic: string, count: number): Promise<void> {
  const sum = async (): Promise<number> => (await stored(topic, 0)).reduce((total, batch) => total + batch.count, 0)
  await expect.poll(sum, { timeout: 30_000 }).toBe(count)
}

/** What a client should be told of records on partitions that were empty before. */
function offsetsOf(records: readonly WrittenRecord[]): ToldOffset[] {
  const next = new Map<number, number>()
  return records.map(({ partition }) => {
    const offset = next.get(partition) ?? 0
    next.set(partition, offset + 1)
    return { partition, offset }
  })
}

const STEPS = {
  created: true,
  listed: true,
  partitions: 3,
  config: '86400000',
  altered: '3600000',
  grown: 5,
  deleted: true,
}

describe.each(byName(installedClients()))('%s', (_name, client) => {
  it('produces', async () => {
    const [all, leader, none] = [
      await createTopic('all', 3),
      await createTopic('leader', 1),
      await createTopic('none', 1),
    ]
    const records = numbered('value', 30, 3)
    const batch = (topic: string, acks: 0 | 1): Batch => ({ topic, acks, records: numbered('value', 10, 1) })
    const told = await produce(client, [{ topic: all, records }, batch(leader, 1), batch(none, 0)])
    if (told[0] !== null) expect(told[0]).toEqual(offsetsOf(records))
    await storedCount(leader, 10)
    await storedCount(none, 10)
  })

  it('consumes from the earliest on', async () => {
    const topic = await createTopic('earliest', 3)
    const records = numbered('value', 60, 3)
    await produce(client, [{ topic, records }])
    const read = await consume(client, { [topic]: records.length })
    expect(byContent(read)).toEqual(byContent(records))
    for (const partition of [0, 1, 2]) {
      const offsets = read.filter((record) => record.partition === partition).map(({ offset }) => offset)
      expect(offsets).toEqual(Array.from({ length: 20 }, (_, offset) => offset))
    }
  })

  it('shares a topic between two members of a group, and again when one leaves', async () => {
    const topic = await createTopic('group', 4)
    const group = fresh('group')
    const before = numbered('before', 40, 4)
    await produce(client, [{ topic, records: before }])
    const first = await Member.join(client, { topic, group })
    await first.has(4)
    await first.read(values(before))
    await first.commit()
    const second = await Member.join(client, { topic, group })
    await Promise.all([first.has(2), second.has(2)])
    const both = [...(first.partitions ?? []), ...(second.partitions ?? [])]
    expect(both.sort()).toEqual([0, 1, 2, 3])
    const between = numbered('between', 40, 4)
    await produce(client, [{ topic, records: between }])
    const share = (member: Member): WrittenRecord[] =>
      between.filter(({ partition }) => member.partitions?.includes(partition))
    await Promise.all([first, second].map((member) => member.read(values(share(member)))))
    await first.leave()
    await second.has(4)
    const after = numbered('after', 40, 4)
    await produce(client, [{ topic, records: after }])
    await second.read(values(after))
    await second.leave()
  })

  it('goes on from what it committed', async () => {
    const topic = await createTopic('resume', 2)
    const group = fresh('group')
    const before = numbered('before', 20, 2)
    await produce(client, [{ topic, records: before }])
    const first = await Member.join(client, { topic, group })
    await first.read(values(before))
    await first.commit()
    await first.leave()
    const after = numbered('after', 20, 2)
    await produce(client, [{ topic, records: after }])
    const second = await Member.join(client, { topic, group })
    await second.read(values(after))
    expect(second.values.sort()).toEqual(values(after).sort())
    await second.leave()
  })

  if (!client.lacksTopicCalls) {
    it('creates, describes, alters and deletes topics', async () => {
      const program = await start(client, 'topics', { topic: fresh('topics') })
      const steps = (await program.finished()).filter(({ lacking }) => lacking !== true)
      const expected = Object.entries(STEPS).filter(([name]) => steps.some(({ step }) => step === name))
      expect(steps.length).toBeGreaterThanOrEqual(4)
      expect(steps.map(({ step, value }) => [step, value])).toEqual(expected)
    })
  }

  it.each(CODECS)('compresses by %s', async (codec) => {
    const topic = await createTopic(codec, 1)
    const value = base64('to be compressed '.repeat(100))
    const records = numbered('', 20, 1).map((record) => ({ ...record, value }))
    await produce(client, [{ topic, codec, records }])
    expect(new Set((await stored(topic, 0)).map((batch) => batch.codec))).toEqual(new Set([codec]))
    expect(byContent(await consume(client, { [topic]: records.length }))).toEqual(byContent(records))
  })

  if (!client.lacksIdempotence) {
    it('produces idempotently', async () => {
      const topic = await createTopic('idempotent', 1)
      const records = numbered('value', 20, 1)
      await produce(client, [{ topic, idempotent: true, records }])
      const batches = await stored(topic, 0)
      const { producerId, producerEpoch } = batches[0] as StoredBatch
      expect(producerId).toBeGreaterThanOrEqual(0n)
      for (const batch of batches) {
        expect(batch).toMatchObject({ producerId, producerEpoch, baseSequence: batch.baseOffset })
      }
      expect(byContent(await consume(client, { [topic]: records.length }))).toEqual(byContent(records))
    })
  }
})
