import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { startBroker } from '../support/broker.js'
import { runCli } from '../support/cli-process.js'

const LATENCIES = {
  avg: expect.any(Number),
  max: expect.any(Number),
  p50: expect.any(Number),
  p999: expect.any(Number),
}

test('perf produce sends what it says, perf consume reads it, and both tell how fast', async () => {
  const { port } = await startBroker()
  const client = await Client.connect({ port })
  await client.createTopic('measured', 3)
  const common = ['--topic', 'measured', '--bootstrap-server', `127.0.0.1:${port}`]
  const sent = await runCli([
    'perf',
    'produce',
    ...common,
    ...['--num-records', '3000', '--record-size', '100', '--producer-props', 'linger.ms=2', 'batch.size=8192'],
  ])
  expect(sent).toMatchObject({ code: 0, stderr: '' })
  expect(sent.stdout).toMatch(
    /(^|\n)3000 records sent, [\d.]+ records\/sec \([\d.]+ MB\/sec\), [\d.]+ ms avg latency, [\d.]+ ms max latency(, [\d.]+ ms (50|95|99|99\.9)th){4}\.\n$/,
  )
  const [topic] = await client.metadata('measured')
  expect(topic?.partitions.reduce((sum, { highWatermark }) => sum + highWatermark, 0)).toBe(3000)
  const [record] = await client.fetch('measured', 0, 0)
  expect([record?.key, record?.value?.length]).toEqual([null, 100])
  await client.close()

  const read = await runCli(['perf', 'consume', ...common, '--num-records', '3000', '--json'])
  expect(read).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(read.stdout)).toMatchObject({ of: 'total', records: 3000, bytes: 300_000, latencyMs: LATENCIES })

  const grouped = ['perf', 'consume', ...common, '--group', 'g']
  const some = await runCli([...grouped, '--num-records', '1000', '--consumer-props', 'max.poll.records=500', '--json'])
  expect(some).toMatchObject({ code: 0, stderr: '' })
  const left = 3000 - JSON.parse(some.stdout).records
  const rest = await runCli([...grouped, '--num-records', String(left + 1), '--timeout-ms', '1500'])
  expect(rest.code).toBe(1)
  expect(rest.stdout).toMatch(new RegExp(`(^|\\n)${left} records consumed, `))
  expect(rest.stderr).toBe(`mykafka perf: ${left} of ${left + 1} records came, and no other for 1500 ms\n`)
})
