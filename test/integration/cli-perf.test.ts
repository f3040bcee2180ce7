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
    /^3000 records sent, [\d.]+ records\/sec \([\d.]+ MB\/sec\), [\d.]+ ms avg latency, [\d.]+ ms max latency(, [\d.]+ ms (50|95|99|99\.9)th){4}\.\n$/,
  )
  const [topic] = await client.metadata('measured')
  expect(topic?.partitions.reduce((sum, { highWatermark }) => sum + highWatermark, 0)).toBe(3000)
  const [record] = await client.fetch('measured', 0, 0)
  expect([record?.key, record?.value?.length]).toEqual([null, 100])
  await client.close()

  const read = await runCli(['perf', 'consume', ...common, '--num-records', '3000', '--json'])
  expect(read).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(read.stdout)).toMatchObject({ of: 'total', records: 3000, bytes: 300_000, latencyMs: LATENCIES })

  const short = await runCli(['perf', 'consume', ...common, '--num-records', '3001', '--timeout-ms', '100'])
  expect(short.code).toBe(1)
  expect(short.stdout).toMatch(/^3000 records consumed, /)
  expect(short.stderr).toBe('mykafka perf: 3000 of 3001 records came, and no other for 100 ms\n')
})
