import { expect, test } from 'vitest'
import { BrokerProcess } from '../support/broker-process.js'
import { runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

async function startBroker(): Promise<(...args: string[]) => ReturnType<typeof runCli>> {
  const broker = await BrokerProcess.start({ dataDir: await temporaryDirectory() })
  return (...args) => runCli(['topics', ...args, '--bootstrap-server', `127.0.0.1:${broker.port}`])
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
  const topics = await startBroker()
  await topics('create', 'flights', '--partitions', '2')
  await topics('create', 'airports')
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
  })
})

test("what the broker refuses is one line with Kafka's name for it and exit code 1", async () => {
  const topics = await startBroker()
  await topics('create', 'flights')
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
