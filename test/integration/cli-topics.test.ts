import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { startBroker as startTestBroker } from '../support/broker.js'
import { BrokerProcess } from '../support/broker-process.js'
import { runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

type Topics = (...args: string[]) => ReturnType<typeof runCli>

/** The command against a broker with these topics, by their numbers of partitions. */
async function startBroker(made: Record<string, number> = {}): Promise<Topics> {
  const { port } = await startTestBroker()
  const client = await Client.connect({ port })
  for (const [topic, partitions] of Object.entries(made)) await client.createTopic(topic, partitions)
  await client.close()
  return commandAt(port)
}

function commandAt(port: number): Topics {
  return (...args) => runCli(['topics', ...args, '--bootstrap-server', `127.0.0.1:${port}`])
}

test('topics are created, listed and described', async () => {
  const topics = await startBroker()
  expect(await topics('list')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await topics('create', 'flights', '--partitions', '2')).toMatchObject({
    code: 0,
    stdout: 'Created topic flights.\n',
  })
  expect(await topics('create', 'airports')).toMatchObject({ code: 0 })
  expect(await topics('list')).toEqual({ code: 0, stdout: 'airports\nflights\n', stderr: '' })
  expect((await topics('describe', 'flights')).stdout).toBe(
    [
      'Topic: flights\tPartitionCount: 2',
      '\tTopic: flights\tPartition: 0\tLogStartOffset: 0\tHighWatermark: 0',
      '\tTopic: flights\tPartition: 1\tLogStartOffset: 0\tHighWatermark: 0',
      '',
    ].join('\n'),
  )
  expect((await topics('describe')).stdout).toMatch(/^Topic: airports\t.*\nTopic: flights\t/s)
})

test('--json gives an object a line', async () => {
  const topics = await startBroker({ flights: 2, airports: 1 })
  const { stdout } = await topics('list', '--json')
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { topic: 'airports', partitionCount: 1 },
    { topic: 'flights', partitionCount: 2 },
  ])
  const described = await topics('describe', 'airports', '--json')
  expect(JSON.parse(described.stdout)).toEqual({
    topic: 'airports',
    partitions: [{ partition: 0, logStartOffset: 0, highWatermark: 0 }],
    configs: [],
  })
})

test("what the broker refuses is one line with Kafka's name for it and exit code 1", async () => {
  const topics = await startBroker({ flights: 1 })
  const exists = await topics('create', 'flights')
  expect(exists).toEqual({
    code: 1,
    stdout: '',
    stderr: 'mykafka topics: TOPIC_ALREADY_EXISTS: the topic flights exists already\n',
  })
  expect(await topics('create', 'flights', '--if-not-exists')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect((await topics('create', 'a/b')).stderr).toMatch(/^mykafka topics: INVALID_TOPIC_EXCEPTION: [^\n]*\n$/)
  const unknown = await topics('describe', 'nope')
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toMatch(/^mykafka topics: UNKNOWN_TOPIC_OR_PARTITION: [^\n]*\n$/)
})

test('configurations are set when a topic is made, and shown with where they come from', async () => {
  const args = ['--override', 'log.retention.hours=48']
  const broker = await BrokerProcess.start({ dataDir: await temporaryDirectory(), args })
  const topics = commandAt(broker.port)
  const made = await topics(
    'create',
    'flights',
    '--config',
    'segment.bytes=65536',
    '--config',
    'cleanup.policy=compact',
  )
  expect(made).toEqual({ code: 0, stdout: 'Created topic flights.\n', stderr: '' })
  expect((await topics('describe', 'flights')).stdout.split('\n')).toEqual([
    'Topic: flights\tPartitionCount: 1',
    '\tConfig: record.format=mykafka\tSource: topic',
    '\tConfig: cleanup.policy=compact\tSource: topic',
    '\tConfig: retention.ms=172800000\tSource: broker',
    '\tConfig: segment.bytes=65536\tSource: topic',
    '\tTopic: flights\tPartition: 0\tLogStartOffset: 0\tHighWatermark: 0',
    '',
  ])
  const { stdout } = await topics('describe', 'flights', '--configs', '--json')
  const { configs } = JSON.parse(stdout) as { configs: { name: string; value: string; source: string }[] }
  const sourceOf = (name: string) => configs.find((config) => config.name === name)
  expect(sourceOf('segment.bytes')).toEqual({ name: 'segment.bytes', value: '65536', source: 'topic' })
  expect(sourceOf('retention.ms')).toEqual({ name: 'retention.ms', value: '172800000', source: 'broker' })
  expect(sourceOf('segment.ms')).toEqual({ name: 'segment.ms', value: '604800000', source: 'default' })
  const again = await topics('create', 'flights', '--config', 'segment.bytes=65536')
  expect(again.stderr).toMatch(/^mykafka topics: TOPIC_ALREADY_EXISTS: /)
  expect((await topics('create', 'flights', '--config', 'segment.bytes=65536', '--if-not-exists')).code).toBe(0)
})

test('configurations are changed, and taken back, while a topic is in use', async () => {
  const topics = await startBroker({ flights: 1 })
  expect(await topics('alter', 'flights', '--config', 'retention.ms=1000', '--config', 'segment.ms=500')).toEqual({
    code: 0,
    stdout: 'Altered topic flights: retention.ms, segment.ms.\n',
    stderr: '',
  })
  expect((await topics('describe', 'flights')).stdout).toMatch(
    /\tConfig: retention\.ms=1000\tSource: topic\n\tConfig: segment\.ms=500\tSource: topic\n/,
  )
  expect((await topics('alter', 'flights', '--delete-config', 'retention.ms')).code).toBe(0)
  expect((await topics('describe', 'flights')).stdout).not.toContain('retention.ms')
})

test.each([
  ['a name that is none', ['--config', 'retention=1'], 'INVALID_CONFIG: unknown topic configuration: retention'],
  ['a value that is none', ['--config', 'retention.ms=soon'], 'INVALID_CONFIG: retention.ms must be an integer'],
  [
    'values at odds',
    ['--config', 'max.compaction.lag.ms=1', '--config', 'min.compaction.lag.ms=2'],
    'INVALID_CONFIG: ',
  ],
])('%s is refused with the reason, when a topic is made and later', async (_, args, reason) => {
  const topics = await startBroker({ flights: 1 })
  expect((await topics('create', 'new', ...args)).stderr).toContain(`mykafka topics: ${reason}`)
  expect((await topics('list')).stdout).toBe('flights\n')
  expect((await topics('alter', 'flights', ...args)).stderr).toContain(`mykafka topics: ${reason}`)
})

test('partitions are added, and what that moves is told; never fewer', async () => {
  const topics = await startBroker({ flights: 6 })
  const grown = await topics('alter', 'flights', '--partitions', '8')
  expect(grown).toMatchObject({ code: 0, stderr: '' })
  expect(grown.stdout).toMatch(
    /^Topic flights has 8 partitions now, it had 6\.\n75\.0 % of its keys get another partition/,
  )
  expect(grown.stdout).toContain('a consumer can meet a new record of such a key before an old one')
  expect((await topics('describe', 'flights')).stdout).toContain('PartitionCount: 8')
  for (const count of ['8', '3']) {
    const { code, stderr } = await topics('alter', 'flights', '--partitions', count)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mykafka topics: INVALID_PARTITIONS: the topic flights has 8 partitions[^\n]*\n$/)
  }
  expect((await topics('alter', 'nope', '--partitions', '3')).stderr).toMatch(/UNKNOWN_TOPIC_OR_PARTITION/)
  expect((await topics('alter', 'flights')).code).toBe(2)
})

test('topics are deleted', async () => {
  const topics = await startBroker({ flights: 1 })
  expect(await topics('delete', 'flights')).toEqual({ code: 0, stdout: 'Deleted topic flights.\n', stderr: '' })
  expect((await topics('list')).stdout).toBe('')
  expect((await topics('delete', 'flights')).stderr).toMatch(/UNKNOWN_TOPIC_OR_PARTITION/)
})

test('--storage tells of the segments on the disk', async () => {
  const topics = await startBroker({ flights: 2 })
  const { code, stdout } = await topics('describe', 'flights', '--storage')
  expect(code).toBe(0)
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'Topic: flights\tPartitionCount: 2',
    '\tPartition: 0\tLogStartOffset: 0\tHighWatermark: 0\tLogEndOffset: 0\tRecoveryPoint: 0\tSegments: 1\tBytes: 0',
    expect.stringMatching(/^\t\tBaseOffset: 0\tNextOffset: 0\tBytes: 0\tLargestTimestamp: none\tState: active\tWhy: ./),
  ])
  const described = JSON.parse((await topics('describe', 'flights', '--storage', '--json')).stdout)
  expect(described).toMatchObject({
    topic: 'flights',
    partitions: [{ partition: 0, offline: false }, { partition: 1 }],
  })
  expect((await topics('describe', 'nope', '--storage')).stderr).toMatch(/UNKNOWN_TOPIC_OR_PARTITION/)
})
