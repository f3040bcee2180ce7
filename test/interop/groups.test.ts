/** What holds for the members of a group when there are many, one is slow, one dies, or the broker does. */
import { describe, expect, it } from 'vitest'
import { sharedBroker } from './support/broker.js'
import { isApacheKafka } from './support/broker-choice.js'
import type { ReadRecord } from './support/client-program.js'
import { type Client, JAVA, KAFKAJS, LIBRDKAFKA } from './support/clients.js'
import { byName, isInstalled } from './support/installed-clients.js'
import { numbered, type WrittenRecord } from './support/records.js'
import { createTopic, fresh, growTopic, Member, produce } from './support/scenario.js'

const values = (records: readonly WrittenRecord[]): string[] =>
  records.map(({ value }) => Buffer.from(value ?? '', 'base64').toString())

/** Where reading began in each of these partitions. */
function firstOffsets(records: readonly ReadRecord[], partitions: readonly number[]): (number | undefined)[] {
  return partitions.map((partition) => records.find((record) => record.partition === partition)?.offset)
}

/** A topic with 40 records, and two members that have read and committed them, two partitions each. */
async function pair(client: Client, options: { maxPollIntervalMs?: number } = {}) {
  const topic = await createTopic('pair', 4)
  const group = fresh('group')
  const join = (): Promise<Member> => Member.join(client, { topic, group, ...options })
  const first = await join()
  await first.has(4)
  const second = await join()
  await Promise.all([first.has(2), second.has(2)])
  const before = numbered('before', 40, 4)
  await produce(client, [{ topic, records: before }])
  const share = (member: Member, of: readonly WrittenRecord[]): string[] =>
    values(of.filter(({ partition }) => member.partitions?.includes(partition)))
  for (const member of [first, second]) {
    await member.read(share(member, before))
    await member.commit()
  }
  return { topic, group, first, second, join, share, before }
}

const CLIENTS = byName([LIBRDKAFKA, JAVA].filter(isInstalled))

describe('groups', () => {
  it.each([
    ['3 members share 6 partitions as 2/2/2', [2, 2, 2]],
    ['6 members share 6 partitions as one each', [1, 1, 1, 1, 1, 1]],
    ['8 members share 6 partitions as one each, two are idle', [0, 0, 1, 1, 1, 1, 1, 1]],
  ])('%s', async (_name, shares) => {
    const topic = await createTopic('shared', 6)
    const group = fresh('group')
    const joins = shares.map(() => Member.join(LIBRDKAFKA, { topic, group }))
    const members = await Promise.all(joins)
    const sizes = (): (number | undefined)[] => members.map(({ partitions }) => partitions?.length).sort()
    await expect.poll(sizes, { timeout: 60_000 }).toEqual(shares)
    expect(members.flatMap(({ partitions = [] }) => partitions).sort()).toEqual([0, 1, 2, 3, 4, 5])
    const records = numbered('value', 30, 6)
    await produce(LIBRDKAFKA, [{ topic, records }])
    const read = (): string[] => members.flatMap((member) => member.values).sort()
    await expect.poll(read, { timeout: 60_000 }).toEqual(values(records).sort())
  })

  it.each(CLIENTS)('a member of %s slower than max.poll.interval.ms leaves, and comes back', async (_name, client) => {
    const { topic, first: slow, second, share } = await pair(client, { maxPollIntervalMs: 6000 })
    const lost = slow.partitions ?? []
    const uncommitted = numbered('uncommitted', 40, 4)
    await produce(client, [{ topic, records: uncommitted }])
    await slow.read(share(slow, uncommitted))
    await slow.program.ask('stall', 'stalled')
    const before = second.program.records.length
    await second.has(4)
    await second.read(values(uncommitted))
    // Ten records of each partition were committed.
    expect(firstOffsets(second.program.records.slice(before), lost)).toEqual([10, 10])
    slow.program.tell('resume')
    await slow.has(2)
    await second.has(2)
  })

  it.each(CLIENTS)('the partitions of a member of %s that is killed go to the other', async (_name, client) => {
    const { topic, first: victim, second, share } = await pair(client)
    const lost = victim.partitions ?? []
    const uncommitted = numbered('uncommitted', 40, 4)
    await produce(client, [{ topic, records: uncommitted }])
    await victim.read(share(victim, uncommitted))
    await victim.program.kill()
    await second.has(4)
    await second.read(values(uncommitted))
    const offsets = (partition: number): number[] =>
      second.program.records.filter((record) => record.partition === partition).map(({ offset }) => offset)
    // Nothing is left out behind the commit, and nothing comes from before it.
    for (const partition of lost) expect(offsets(partition)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  })

  it('a group that starts at the latest skips what reached a new partition before it noticed it', async () => {
    const topic = await createTopic('grown', 1)
    const [latest, earliest] = [fresh('latest'), fresh('earliest')]
    const join = (group: string, reset: 'latest' | 'earliest'): Promise<Member> =>
      Member.join(LIBRDKAFKA, { topic, group, reset, metadataMaxAgeMs: 3_600_000 })
    const first = await join(latest, 'latest')
    await first.has(1)
    await growTopic(topic, 2)
    const early = numbered('early', 10, 1).map((record) => ({ ...record, partition: 1 }))
    await produce(KAFKAJS, [{ topic, records: early }])
    // It still has one partition; the next to join asks for the topic's partitions anew.
    expect(first.partitions).toEqual([0])
    await first.leave()
    const [second, third] = [await join(latest, 'latest'), await join(earliest, 'earliest')]
    await Promise.all([second.has(2), third.has(2)])
    await third.read(values(early))
    // Where the log ends is asked some time after the partitions are assigned.
    for (let round = 0; second.values.length === 0; round++) {
      const late = numbered(`late ${round}`, 1, 1).map((record) => ({ ...record, partition: 1 }))
      await produce(KAFKAJS, [{ topic, records: late }])
    }
    expect(second.values.filter((value) => value.startsWith('early'))).toEqual([])
  })

  if (!isApacheKafka) {
    it.each([
      ['is stopped', 'SIGTERM'],
      ['is killed', 'SIGKILL'],
    ] as const)('a group goes on from its commits when the broker %s and started again', async (_how, signal) => {
      const { topic, group, first, second, join, before } = await pair(LIBRDKAFKA)
      const broker = await sharedBroker()
      await broker.restart(signal)
      const after = numbered('after', 40, 4)
      await produce(LIBRDKAFKA, [{ topic, records: after }])
      const read = (): string[] => [...first.values, ...second.values].sort()
      await expect.poll(read, { timeout: 60_000 }).toEqual([...values(before), ...values(after)].sort())
      for (const member of [first, second]) {
        await member.commit()
        await member.leave()
      }
      await broker.restart(signal)
      const third = await join()
      await third.has(4)
      const last = numbered('last', 40, 4)
      await produce(LIBRDKAFKA, [{ topic, records: last }])
      await third.read(values(last))
      expect(third.values.sort(), group).toEqual(values(last).sort())
    })
  }
})
