import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { startBroker as startTestBroker } from '../support/broker.js'
import { BrokerProcess } from '../support/broker-process.js'
import { CliProcess, type CliResult, runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

interface Started {
  client: Client
  port: number
  consume: (...args: string[]) => Promise<CliResult>
  follow: (...args: string[]) => CliProcess
}

/** A broker with a topic `flights`, and the command against it. */
async function startBroker(partitions: number): Promise<Started> {
  return await withTopic((await startTestBroker()).port, partitions)
}

async function withTopic(port: number, partitions: number): Promise<Started> {
  const client = await Client.connect({ port })
  await client.createTopic('flights', partitions)
  const command = (args: string[]): string[] => [
    'consume',
    'flights',
    ...args,
    '--bootstrap-server',
    `127.0.0.1:${port}`,
  ]
  return {
    client,
    port,
    consume: (...args) => runCli(command(args)),
    follow: (...args) => new CliProcess(command(args)),
  }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ key: `key-${from + i}`, value: String(from + i) }))

const lines = (from: number, to: number): string =>
  numbered(from, to)
    .map(({ value }) => `${value}\n`)
    .join('')

test('--from-beginning prints all partitions, each in order', async () => {
  const { client, consume } = await startBroker(3)
  for (let partition = 0; partition < 3; partition++) {
    await client.produce('flights', numbered(partition * 1000, partition * 1000 + 500), { partition })
  }
  const { code, stdout, stderr } = await consume('--from-beginning', '--max-messages', '1500')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const numbers = stdout.trimEnd().split('\n').map(Number)
  expect(numbers).toHaveLength(1500)
  for (let partition = 0; partition < 3; partition++) {
    const own = numbers.filter((number) => Math.floor(number / 1000) === partition)
    expect(own).toEqual(Array.from({ length: 500 }, (_, i) => partition * 1000 + i))
  }
})

test('--partition prints one, --max-messages no more than so many', async () => {
  const { client, consume } = await startBroker(2)
  await client.produce('flights', numbered(0, 10), { partition: 0 })
  await client.produce('flights', numbered(10, 20), { partition: 1 })
  const result = await consume('--from-beginning', '--partition', '1', '--max-messages', '4')
  expect(result).toEqual({ code: 0, stdout: lines(10, 14), stderr: '' })
})

test('values are printed as they are', async () => {
  const { client, follow } = await startBroker(1)
  const value = Buffer.from([0x00, 0xff, 0x0d, 0xc3, 0x28])
  await client.produce('flights', [{ value }])
  const cli = follow('--from-beginning', '--max-messages', '1')
  await cli.exited
  expect(cli.stdoutBytes).toEqual(Buffer.concat([value, Buffer.from('\n')]))
})

test('--print-key prints keys, a tab before the value, and null for what is null', async () => {
  const { client, consume } = await startBroker(1)
  await client.produce('flights', [{ key: 'AMS', value: 'late' }, { value: 'x' }, { key: '', value: null }])
  const all = ['--from-beginning', '--max-messages', '3', '--print-key']
  expect((await consume(...all)).stdout).toBe('AMS\tlate\nnull\tx\n\tnull\n')
  expect((await consume(...all, '--key-separator', ' = ')).stdout).toBe('AMS = late\nnull = x\n = null\n')
})

test('without --from-beginning it starts at the end, and follows it', async () => {
  const { client, follow } = await startBroker(1)
  await client.produce('flights', numbered(0, 10))
  const cli = follow()
  // It says nothing when it is ready: records are produced until some are printed.
  let next = 10
  await expect
    .poll(async () => {
      await client.produce('flights', numbered(next, ++next))
      return cli.stdout
    })
    .toMatch(/\n.*\n/)
  cli.signal('SIGTERM')
  const { code, stdout } = await cli.exited
  expect(code).toBe(0)
  const numbers = stdout.trimEnd().split('\n').map(Number)
  const first = numbers[0] ?? -1
  expect(first).toBeGreaterThanOrEqual(10)
  expect(numbers).toEqual(numbers.map((_, i) => first + i))
})

test('a group goes on where it was, by exactly what was printed', async () => {
  const { client, consume } = await startBroker(2)
  await client.produce('flights', numbered(0, 10), { partition: 0 })
  const first = await consume('--from-beginning', '--group', 'board', '--max-messages', '3')
  expect(first.stdout).toBe(lines(0, 3))
  expect(await client.fetchOffset('board', 'flights', 0)).toBe(3)
  expect(await client.fetchOffset('board', 'flights', 1)).toBe(null)
  const second = await consume('--from-beginning', '--group', 'board', '--max-messages', '7')
  expect(second.stdout).toBe(lines(3, 10))
  expect(await client.fetchOffset('board', 'flights', 0)).toBe(10)
})

test('--from-datetime starts at the first record that is not older, in each partition', async () => {
  const { client, consume } = await startBroker(3)
  await client.produce('flights', numbered(0, 5), { partition: 0 })
  await client.produce('flights', numbered(100, 103), { partition: 1 })
  const [, before] = await client.fetch('flights', 0, 3)
  // The next millisecond of the broker's clock.
  await expect.poll(() => Date.now()).toBeGreaterThan((before?.timestamp ?? 0) + 1)
  await client.produce('flights', numbered(5, 10), { partition: 0 })
  await client.produce('flights', numbered(103, 105), { partition: 1 })
  const [first] = await client.fetch('flights', 0, 5)
  const time = first?.timestamp ?? 0
  for (const text of [String(time), new Date(time).toISOString(), new Date(time).toISOString().replace('Z', '')]) {
    const { code, stdout, stderr } = await consume('--from-datetime', text, '--timeout-ms', '300')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const printed = stdout.trimEnd().split('\n').map(Number)
    expect(printed.filter((number) => number < 100)).toEqual([5, 6, 7, 8, 9])
    expect(printed.filter((number) => number >= 100)).toEqual([103, 104])
  }
  // Where there is none, at the end.
  const none = await consume('--from-datetime', String(time + 3_600_000), '--timeout-ms', '200')
  expect(none).toEqual({ code: 0, stdout: '', stderr: '' })
  const group = ['--group', 'board', '--partition', '0', '--timeout-ms', '200']
  expect((await consume('--from-datetime', '1969-12-31', ...group)).stdout).toBe(lines(0, 10))
  expect((await consume('--from-datetime', '1970-01-01', ...group)).stdout).toBe('')
})

test('--from-datetime: what is no time, and what contradicts it, is a usage error', async () => {
  const wrong = await runCli(['consume', 'flights', '--from-datetime', 'yesterday'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toMatch(/^mykafka consume: [^\n]*yesterday[^\n]*milliseconds[^\n]*\n$/)
  const both = await runCli(['consume', 'flights', '--from-beginning', '--from-datetime', '0'])
  expect(both.code).toBe(2)
  expect(both.stderr).toMatch(/^mykafka consume: [^\n]*--from-datetime[^\n]*\n$/)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s commits what was printed and ends it with exit code 0',
  async (signal) => {
    const { client, follow } = await startBroker(1)
    await client.produce('flights', numbered(0, 10))
    const cli = follow('--from-beginning', '--group', 'board')
    await cli.outputMatching(/^9$/m)
    cli.signal(signal)
    expect(await cli.exited).toEqual({ code: 0, stdout: lines(0, 10), stderr: '' })
    expect(await client.fetchOffset('board', 'flights', 0)).toBe(10)
  },
)

test('--timeout-ms ends it when nothing comes any more', async () => {
  const { client, consume } = await startBroker(2)
  await client.produce('flights', numbered(0, 10), { partition: 1 })
  const result = await consume('--from-beginning', '--group', 'board', '--timeout-ms', '200')
  expect(result).toEqual({ code: 0, stdout: lines(0, 10), stderr: '' })
  expect(await client.fetchOffset('board', 'flights', 1)).toBe(10)
})

test('an offset that is not there any more: it says so and goes on at the nearest', async () => {
  const { client, consume } = await startBroker(1)
  await client.produce('flights', numbered(0, 10))
  await client.commitOffset('board', 'flights', 0, 999)
  const { code, stdout, stderr } = await consume('--group', 'board', '--timeout-ms', '200')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toBe('mykafka consume: flights-0 has no offset 999: going on at 10\n')
})

test('damaged records: it says which are lost and prints what lies behind them', async () => {
  const dataDir = await temporaryDirectory()
  const before = await BrokerProcess.start({ dataDir })
  const client = await Client.connect({ port: before.port })
  await client.createTopic('flights', 1)
  await client.produce('flights', numbered(0, 20))
  await client.close()
  await before.stop()
  const path = join(dataDir, 'flights', '0', '00000000000000000000.log')
  const log = await readFile(path)
  // An entry is 28 bytes with "key-7" and "7" in it. Its value, at the end before the CRC, is changed.
  const entry = 34
  for (const offset of [5, 6, 8]) log[(offset + 1) * entry - 5] = 0x58
  await writeFile(path, log)
  const broker = await BrokerProcess.start({ dataDir })
  const address = ['--bootstrap-server', `127.0.0.1:${broker.port}`]
  const cli = await runCli(['consume', 'flights', '--from-beginning', '--max-messages', '17', ...address])
  expect(cli).toMatchObject({ code: 0, stdout: lines(0, 5) + lines(7, 8) + lines(9, 20) })
  expect(cli.stderr).toBe(
    'mykafka consume: CORRUPT_MESSAGE: flights-0 lost the offsets 5 to 6: going on at 7\n' +
      'mykafka consume: CORRUPT_MESSAGE: flights-0 lost offset 8: going on at 9\n',
  )
})

test('a damage of any size is passed at once', async () => {
  const dataDir = await temporaryDirectory()
  const before = await BrokerProcess.start({ dataDir })
  const client = await Client.connect({ port: before.port })
  await client.createTopic('flights', 1)
  await client.produce('flights', numbered(0, 5))
  await client.close()
  await before.kill()
  // It says that more was synced than there is.
  const checkpoint = join(dataDir, '@broker', 'recovery-point-offset-checkpoint')
  await writeFile(checkpoint, '0\n1\nflights 0 100000000\n')
  const log = join(dataDir, 'flights', '0', '00000000000000000000.log')
  const bytes = await readFile(log)
  bytes[bytes.length - 5] = 0x58
  bytes[2 * (bytes.length / 5) - 5] = 0x58
  await writeFile(log, bytes)
  const broker = await BrokerProcess.start({ dataDir })
  const again = await Client.connect({ port: broker.port })
  expect(await again.produce('flights', numbered(5, 8))).toMatchObject({ baseOffset: 100_000_000 })
  const address = ['--bootstrap-server', `127.0.0.1:${broker.port}`]
  const cli = await runCli(['consume', 'flights', '--from-beginning', '--max-messages', '6', ...address])
  expect(cli).toMatchObject({ code: 0, stdout: lines(0, 1) + lines(2, 4) + lines(5, 8) })
  expect(cli.stderr).toBe(
    'mykafka consume: CORRUPT_MESSAGE: flights-0 lost offset 1: going on at 2\n' +
      'mykafka consume: CORRUPT_MESSAGE: flights-0 lost the offsets 4 to 99999999: going on at 100000000\n',
  )
  const damages = [
    { position: 34, bytes: 34, firstOffset: 1, nextOffset: 2 },
    { position: 4 * 34, bytes: 34, firstOffset: 4, nextOffset: 100_000_000 },
  ]
  expect((await again.describeStorage('flights')).partitions).toMatchObject([
    {
      segments: [
        { damagedBytes: 68, damages },
        { damagedBytes: 0, damages: [] },
      ],
    },
  ])
  await again.close()
})

test('a reader that goes away ends it quietly, and what it did not read is not committed', async () => {
  const { client, follow } = await startBroker(1)
  const value = 'x'.repeat(1000)
  for (let i = 0; i < 50; i++)
    await client.produce(
      'flights',
      Array.from({ length: 100 }, () => ({ value })),
    )
  const cli = follow('--from-beginning', '--group', 'board')
  await cli.outputMatching(/\n/)
  cli.child.stdout?.destroy()
  expect(await cli.exited).toMatchObject({ code: 0, stderr: '' })
  expect(await client.fetchOffset('board', 'flights', 0)).not.toBe(5000)
})

test("what the broker refuses is one line with Kafka's name for it and exit code 1", async () => {
  const { port, consume } = await startBroker(1)
  const address = ['--bootstrap-server', `127.0.0.1:${port}`]
  const unknown = await runCli(['consume', 'nope', ...address])
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toMatch(/^mykafka consume: UNKNOWN_TOPIC_OR_PARTITION: [^\n]*\n$/)
  const outside = await consume('--partition', '5')
  expect(outside.code).toBe(1)
  expect(outside.stderr).toMatch(/^mykafka consume: UNKNOWN_TOPIC_OR_PARTITION: there is no partition 5[^\n]*\n$/)
})

test('a broker that goes away ends it with exit code 1', async () => {
  const broker = await BrokerProcess.start({ dataDir: await temporaryDirectory() })
  const { client, follow } = await withTopic(broker.port, 1)
  await client.produce('flights', numbered(0, 1))
  const cli = follow('--from-beginning')
  await cli.outputMatching(/\n/)
  await broker.kill()
  const { code, stderr } = await cli.exited
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mykafka consume: CONNECTION_CLOSED: [^\n]*\n$/)
})
