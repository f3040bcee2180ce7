/** Apache Kafka's console tools do with this broker what they do with theirs. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/temporary.js'
import { sharedBroker } from './support/broker.js'
import { JAVA, LIBRDKAFKA } from './support/clients.js'
import { isInstalled } from './support/installed-clients.js'
import { askBroker, runTool } from './support/kafka-tools.js'
import { numbered } from './support/records.js'
import { createTopic, fresh, Member, produce } from './support/scenario.js'

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** Text in columns as rows of fields. */
const rows = (text: string): string[][] => lines(text).map((line) => line.trim().split(/\s+/))

/** A topic that holds `count` records, on one partition after the other. */
async function filledTopic(name: string, count: number, partitions: number): Promise<string> {
  const topic = await createTopic(name, partitions)
  await produce(LIBRDKAFKA, [{ topic, records: numbered('value', count, partitions) }])
  return topic
}

/** A group without members that has committed the end of a topic. */
async function committedGroup(topic: string, count: number): Promise<string> {
  const group = fresh('group')
  const member = await Member.join(LIBRDKAFKA, { topic, group })
  await member.program.until('all records', ({ records }) => records.length === count)
  await member.commit()
  await member.leave()
  return group
}

const consoleConsumer = (topic: string, ...args: string[]): Promise<string> =>
  askBroker('console-consumer', ['--topic', topic, ...args])

/** [partition, committed, end, lag] of each partition, as `--describe` prints it. */
async function describedGroup(group: string): Promise<string[][]> {
  const table = rows(await askBroker('consumer-groups', ['--describe', '--group', group]))
  return table
    .filter(([name]) => name === group)
    .map((row) => row.slice(2, 6))
    .sort()
}

const TOOLS_RUN = isInstalled(JAVA) && isInstalled(LIBRDKAFKA)

describe.runIf(TOOLS_RUN)("Apache Kafka's tools", () => {
  it('kafka-topics.sh: create, list, describe, alter, delete', async () => {
    const topic = fresh('tool')
    const created = await askBroker('topics', ['--create', '--topic', topic, '--partitions', '3'])
    expect(created).toContain(`Created topic ${topic}`)
    expect(lines(await askBroker('topics', ['--list']))).toContain(topic)
    await askBroker('topics', ['--alter', '--topic', topic, '--partitions', '5'])
    const description = await askBroker('topics', ['--describe', '--topic', topic])
    expect(description).toMatch(/PartitionCount: 5\s+ReplicationFactor: 1/)
    expect(description.match(/Leader: \d+\s+Replicas: \d+\s+Isr: \d+/g)).toHaveLength(5)
    await askBroker('topics', ['--delete', '--topic', topic])
    expect(lines(await askBroker('topics', ['--list']))).not.toContain(topic)
  })

  it('kafka-configs.sh: describe, add and delete a configuration of a topic', async () => {
    const topic = await createTopic('configs', 1)
    const entity = ['--entity-type', 'topics', '--entity-name', topic]
    await askBroker('configs', ['--alter', ...entity, '--add-config', 'retention.ms=3600000,max.message.bytes=2000000'])
    const altered = await askBroker('configs', ['--describe', ...entity])
    expect(altered).toContain('retention.ms=3600000')
    expect(altered).toContain('max.message.bytes=2000000')
    await askBroker('configs', ['--alter', ...entity, '--delete-config', 'retention.ms'])
    expect(await askBroker('configs', ['--describe', ...entity])).not.toContain('retention.ms=')
    // The broker of these tests is told so.
    expect(await askBroker('configs', ['--describe', '--all', ...entity])).toMatch(
      / retention\.ms=-1 .*STATIC_BROKER_CONFIG:log\.retention\.ms=-1/,
    )
  })

  it('kafka-console-producer.sh and kafka-console-consumer.sh --from-beginning', async () => {
    const topic = await createTopic('console', 1)
    const properties = ['--reader-property', 'parse.key=true', '--reader-property', 'key.separator=:']
    await askBroker('console-producer', ['--topic', topic, ...properties], 'k1:one\nk2:two\nk3:three\n')
    const printing = ['--formatter-property', 'print.key=true', '--formatter-property', 'print.offset=true']
    const read = await consoleConsumer(topic, '--from-beginning', '--max-messages', '3', ...printing)
    expect(lines(read)).toEqual(['Offset:0\tk1\tone', 'Offset:1\tk2\ttwo', 'Offset:2\tk3\tthree'])
    const rest = await consoleConsumer(topic, '--partition', '0', '--offset', '1', '--max-messages', '2')
    expect(lines(rest)).toEqual(['two', 'three'])
  })

  it('kafka-console-consumer.sh in a group goes on from its commits', async () => {
    const topic = await filledTopic('console-group', 10, 1)
    const group = ['--group', fresh('group')]
    expect(lines(await consoleConsumer(topic, '--from-beginning', '--max-messages', '4', ...group))).toHaveLength(4)
    const rest = lines(await consoleConsumer(topic, '--max-messages', '6', ...group))
    expect(rest).toEqual(['value 4', 'value 5', 'value 6', 'value 7', 'value 8', 'value 9'])
  })

  it('kafka-consumer-groups.sh: list, describe, members, state', async () => {
    const topic = await filledTopic('described', 20, 2)
    const group = fresh('group')
    const member = await Member.join(LIBRDKAFKA, { topic, group })
    await member.program.until('all records', ({ records }) => records.length === 20)
    await member.commit()
    expect(lines(await askBroker('consumer-groups', ['--list']))).toContain(group)
    expect(await describedGroup(group)).toEqual([
      ['0', '10', '10', '0'],
      ['1', '10', '10', '0'],
    ])
    const members = rows(await askBroker('consumer-groups', ['--describe', '--group', group, '--members']))
    expect(members.filter(([name]) => name === group).map((row) => row.at(-1))).toEqual(['2'])
    const state = await askBroker('consumer-groups', ['--describe', '--group', group, '--state'])
    expect(state).toMatch(/\bStable\b/)
    await member.leave()
    await produce(LIBRDKAFKA, [{ topic, records: numbered('more', 6, 2) }])
    expect(await describedGroup(group)).toEqual([
      ['0', '10', '13', '3'],
      ['1', '10', '13', '3'],
    ])
  })

  it('kafka-consumer-groups.sh: reset-offsets, delete-offsets, delete', async () => {
    const topic = await filledTopic('reset', 20, 2)
    const group = await committedGroup(topic, 20)
    const reset = (...to: string[]): Promise<string> =>
      askBroker('consumer-groups', ['--reset-offsets', '--group', group, '--topic', topic, ...to, '--execute'])
    const committed = async (): Promise<(string | undefined)[]> => (await describedGroup(group)).map((row) => row[1])
    await reset('--to-earliest')
    expect(await committed()).toEqual(['0', '0'])
    await reset('--shift-by', '4')
    expect(await committed()).toEqual(['4', '4'])
    await reset('--to-offset', '7')
    expect(await committed()).toEqual(['7', '7'])
    await reset('--to-datetime', '2001-01-01T00:00:00.000')
    expect(await committed()).toEqual(['0', '0'])
    await reset('--to-latest')
    expect(await committed()).toEqual(['10', '10'])
    await askBroker('consumer-groups', ['--delete-offsets', '--group', group, '--topic', `${topic}:1`])
    expect((await describedGroup(group)).filter(([, offset]) => offset !== '-')).toEqual([['0', '10', '10', '0']])
    await askBroker('consumer-groups', ['--delete', '--group', group])
    expect(lines(await askBroker('consumer-groups', ['--list']))).not.toContain(group)
  })

  it('kafka-delete-records.sh and kafka-get-offsets.sh', async () => {
    const topic = await filledTopic('deleted', 20, 2)
    const offsets = async (time: string): Promise<string[]> =>
      lines(await askBroker('get-offsets', ['--topic', topic, '--time', time]))
    expect(await offsets('earliest')).toEqual([`${topic}:0:0`, `${topic}:1:0`])
    expect(await offsets('latest')).toEqual([`${topic}:0:10`, `${topic}:1:10`])
    const file = join(await temporaryDirectory(), 'offsets.json')
    await writeFile(file, JSON.stringify({ partitions: [{ topic, partition: 0, offset: 6 }], version: 1 }))
    expect(await askBroker('delete-records', ['--offset-json-file', file])).toMatch(/low_watermark: 6/)
    expect(await offsets('earliest')).toEqual([`${topic}:0:6`, `${topic}:1:0`])
    const read = await consoleConsumer(topic, '--from-beginning', '--max-messages', '14')
    expect(lines(read)).toHaveLength(14)
    expect(await offsets('max-timestamp')).toHaveLength(2)
  })

  it('kafka-log-dirs.sh, kafka-cluster.sh, kafka-broker-api-versions.sh', async () => {
    const { bootstrap } = await sharedBroker()
    const topic = await filledTopic('directories', 10, 1)
    const directories = lines(await askBroker('log-dirs', ['--describe', '--topic-list', topic])).at(-1) as string
    const [{ logDirs }] = JSON.parse(directories).brokers
    const partitions = logDirs.flatMap((directory: { partitions: object[] }) => directory.partitions)
    expect(partitions).toEqual([expect.objectContaining({ partition: `${topic}-0`, size: expect.any(Number) })])
    expect(partitions[0].size).toBeGreaterThan(10)
    expect(await runTool('cluster', ['cluster-id', '--bootstrap-server', bootstrap])).toMatch(/Cluster ID: \S{22}/)
    expect(await askBroker('broker-api-versions', [])).toMatch(/Produce\(0\): .*usable/)
  })

  it('kafka-dump-log.sh reads the segments', async () => {
    const topic = await createTopic('dumped', 1)
    await produce(LIBRDKAFKA, [{ topic, codec: 'zstd', records: numbered('value', 10, 1) }])
    const file = (await sharedBroker()).segment(topic, 0)
    const dump = await runTool('dump-log', ['--files', file, '--print-data-log'])
    expect(dump).toMatch(/compresscodec: zstd .*isvalid: true/)
    expect(dump.match(/payload: value \d/g)).toHaveLength(10)
  })

  it('kafka-producer-perf-test.sh and kafka-consumer-perf-test.sh', async () => {
    const { bootstrap } = await sharedBroker()
    const topic = await createTopic('perf', 1)
    const load = ['--topic', topic, '--num-records', '20000', '--record-size', '100', '--throughput', '-1']
    const produced = await runTool('producer-perf-test', [
      ...load,
      '--command-property',
      `bootstrap.servers=${bootstrap}`,
    ])
    expect(produced).toMatch(/20000 records sent/)
    const consumed = await askBroker('consumer-perf-test', ['--topic', topic, '--num-records', '20000'])
    expect(consumed).toMatch(/^\d{4}-.*, 20\d{3}, /m)
  })
})
