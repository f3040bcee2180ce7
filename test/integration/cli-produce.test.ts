import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { startBroker as startTestBroker } from '../support/broker.js'
import { BrokerProcess } from '../support/broker-process.js'
import { CliProcess, runCli } from '../support/cli-process.js'
import { partitionRecords } from '../support/data-directory.js'
import { scaled } from '../support/scale.js'
import { temporaryDirectory } from '../support/temporary.js'
import { readVectors } from '../support/vectors.js'

interface Started<Broker> {
  dataDir: string
  broker: Broker
  address: string[]
}

/** A broker with a topic. */
async function startBroker(topic: string, partitions: number) {
  const broker = await startTestBroker()
  return await withTopic(broker, broker.dataDir, topic, partitions)
}

/** One that can be stopped or killed: a process of its own, with a topic `lines`. */
async function startProcess(): Promise<Started<BrokerProcess>> {
  const dataDir = await temporaryDirectory()
  return await withTopic(await BrokerProcess.start({ dataDir }), dataDir, 'lines', 1)
}

async function withTopic<Broker extends { readonly port: number }>(
  broker: Broker,
  dataDir: string,
  topic: string,
  partitions: number,
): Promise<Started<Broker>> {
  const client = await Client.connect({ port: broker.port })
  await client.createTopic(topic, partitions)
  await client.close()
  return { dataDir, broker, address: ['--bootstrap-server', `127.0.0.1:${broker.port}`] }
}

async function values(dataDir: string, topic: string, partition: number): Promise<(string | undefined)[]> {
  return (await partitionRecords(dataDir, topic, partition)).map(({ value }) => value?.toString())
}

test('each line is a record, the last one also without its end, empty ones too', async () => {
  const { dataDir, address } = await startBroker('lines', 1)
  const result = await runCli(['produce', 'lines', ...address], 'first\n\nthird\r\nlast')
  expect(result).toEqual({ code: 0, stdout: '', stderr: 'mykafka produce: 4 records to lines\n' })
  const records = await partitionRecords(dataDir, 'lines', 0)
  expect(records.map(({ key, value }) => [key, value?.toString()])).toEqual([
    [null, 'first'],
    [null, ''],
    [null, 'third'],
    [null, 'last'],
  ])
})

test('no input: no record', async () => {
  const { address } = await startBroker('lines', 1)
  expect(await runCli(['produce', 'lines', ...address])).toMatchObject({
    code: 0,
    stderr: 'mykafka produce: 0 records to lines\n',
  })
})

test('keys go where the partitioner of every Kafka client puts them', async () => {
  const { dataDir, broker, address } = await startBroker('keyed', 6)
  const input = Array.from({ length: 10_000 }, (_, i) => `user-${i}::${i}\n`).join('')
  await runCli(['produce', 'keyed', '--key-separator', '::', ...address], input)
  const client = await Client.connect({ port: broker.port })
  const [topic] = await client.metadata('keyed')
  await client.close()
  // What Kafka's own client does with these keys.
  expect(topic?.partitions.map(({ highWatermark }) => highWatermark)).toEqual([1700, 1668, 1703, 1575, 1650, 1704])
  for (let partition = 0; partition < 6; partition++) {
    const numbers = (await values(dataDir, 'keyed', partition)).map(Number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  }
})

test.each([
  ['murmur2', 'murmur2Of6'],
  ['java-hash', 'javaHashOf6'],
] as const)('--partitioner %s places every key of the vectors', async (partitioner, expected) => {
  const { dataDir, address } = await startBroker('keyed', 6)
  const { keys } = readVectors<{ keys: { key: string; murmur2Of6: number; javaHashOf6: number }[] }>(
    'partitioners.json',
  )
  const flags = ['--partitioner', partitioner, '--key-separator', '\t']
  await runCli(['produce', 'keyed', ...flags, ...address], keys.map(({ key }) => `${key}\tx\n`).join(''))
  for (let partition = 0; partition < 6; partition++) {
    const placed = (await partitionRecords(dataDir, 'keyed', partition)).map(({ key }) => String(key))
    expect(placed).toEqual(keys.filter((vector) => vector[expected] === partition).map(({ key }) => key))
  }
})

test('--partition sends all of it there', async () => {
  const { dataDir, address } = await startBroker('lines', 3)
  await runCli(['produce', 'lines', '--partition', '2', '--key-separator', ':', ...address], 'a:1\nb:2\nc:3\n')
  expect(await values(dataDir, 'lines', 2)).toEqual(['1', '2', '3'])
})

test('a line without the separator ends it with the number of the line; what stood before is sent', async () => {
  const { dataDir, address } = await startBroker('lines', 1)
  const result = await runCli(['produce', 'lines', '--key-separator', ':', ...address], 'a:1\n:2\nthree\nd:4\n')
  expect(result.code).toBe(1)
  expect(result.stderr).toBe(
    'mykafka produce: 2 records to lines\nmykafka produce: line 3: no key separator ":" found\n',
  )
  expect(await values(dataDir, 'lines', 0)).toEqual(['1', '2'])
})

test("what the broker refuses is one line with Kafka's name for it and exit code 1", async () => {
  const { address } = await startBroker('lines', 1)
  const unknown = await runCli(['produce', 'nope', ...address], 'x\n')
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toMatch(/^mykafka produce: UNKNOWN_TOPIC_OR_PARTITION: [^\n]*\n$/)
  const outside = await runCli(['produce', 'lines', '--partition', '9', ...address], 'x\n')
  expect(outside.code).toBe(1)
  expect(outside.stderr).toMatch(/\nmykafka produce: UNKNOWN_TOPIC_OR_PARTITION: PRODUCE to lines[^\n]*\n$/)
})

test('a line is sent while the input stays open', async () => {
  const { broker, address } = await startBroker('lines', 1)
  const cli = new CliProcess(['produce', 'lines', ...address])
  cli.child.stdin?.write('typed\n')
  const client = await Client.connect({ port: broker.port })
  await expect
    .poll(async () => (await client.fetch('lines', 0, 0)).map(({ value }) => String(value)))
    .toEqual(['typed'])
  await client.close()
  cli.child.stdin?.end()
  expect((await cli.exited).code).toBe(0)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it behind what was read, with exit code %i', async (signal, code) => {
  const { broker, dataDir, address } = await startBroker('lines', 1)
  const cli = new CliProcess(['produce', 'lines', ...address])
  cli.child.stdin?.write('typed\n')
  const client = await Client.connect({ port: broker.port })
  await expect.poll(async () => (await client.fetch('lines', 0, 0)).length).toBe(1)
  await client.close()
  cli.signal(signal)
  expect(await cli.exited).toMatchObject({ code, stderr: 'mykafka produce: 1 records to lines\n' })
  expect(await values(dataDir, 'lines', 0)).toEqual(['typed'])
})

test('a broker that goes away ends it with exit code 1', async () => {
  const { broker, address } = await startProcess()
  const cli = new CliProcess(['produce', 'lines', ...address])
  cli.child.stdin?.write('typed\n')
  const client = await Client.connect({ port: broker.port })
  await expect.poll(async () => (await client.fetch('lines', 0, 0)).length).toBe(1)
  await client.close()
  await broker.kill()
  cli.child.stdin?.write('too late\n')
  const { code, stderr } = await cli.exited
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mykafka produce: 1 records to lines\nmykafka produce: CONNECTION_CLOSED: [^\n]*\n$/)
})

const LINES = scaled(40_000, 100_000)
const LINE_BYTES = 2000
/** Node itself takes some 60 MB, what may be on its way another 16; the input is three times this. */
const MEMORY_BOUND = 160 << 20

test.runIf(process.platform === 'linux')(
  'more lines than there may be memory for, to a broker that stands still: reading waits, memory is bounded, and all arrive in order',
  async () => {
    const { broker, dataDir, address } = await startProcess()
    const cli = new CliProcess(['produce', 'lines', ...address])
    const stdin = cli.child.stdin as NonNullable<typeof cli.child.stdin>
    const peak = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${cli.pid}/status`, 'utf8'))?.[1]) << 10

    let written = 0
    const feeding = (async () => {
      for (; written < LINES; written++) {
        if (!stdin.write(`${`${written} `.padEnd(LINE_BYTES, 'x')}\n`)) await once(stdin, 'drain')
      }
      return peak()
    })()
    await expect.poll(() => written).toBeGreaterThan(1000)
    process.kill(broker.pid, 'SIGSTOP')
    let before = -1
    await expect
      .poll(
        () => {
          const still = written === before
          before = written
          return still
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(true)
    expect(written).toBeLessThan(LINES)
    process.kill(broker.pid, 'SIGCONT')

    expect(await feeding).toBeLessThan(MEMORY_BOUND)
    stdin.end()
    expect(await cli.exited).toMatchObject({ code: 0, stderr: `mykafka produce: ${LINES} records to lines\n` })
    const numbers = (await values(dataDir, 'lines', 0)).map((value) => Number.parseInt(value ?? '', 10))
    expect(numbers.length).toBe(LINES)
    expect(numbers.every((number, i) => number === i)).toBe(true)
  },
)
