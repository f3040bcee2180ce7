import { expect, test } from 'vitest'
import { Client } from '../../src/client/index.js'
import { partitionOfKey } from '../../src/topic/partitioner.js'
import { BrokerProcess } from '../support/broker-process.js'
import { CliProcess, runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

/** A key that moves to partition 3 when 2 become 4. */
const KEY = Array.from({ length: 100 }, (_, i) => `key-${i}`).find(
  (key) => partitionOfKey('murmur2', Buffer.from(key), 4) === 3,
) as string

test('produce and consume go on with the partitions that a topic gets while they run', async () => {
  const broker = await BrokerProcess.start({ dataDir: await temporaryDirectory() })
  const address = ['--bootstrap-server', `127.0.0.1:${broker.port}`, '--metadata-max-age-ms', '10']
  const client = await Client.connect({ port: broker.port })
  await client.createTopic('t', 2)
  // At the end: only what is new is printed, and of a new partition everything is.
  const consumer = new CliProcess(['consume', 't', ...address])
  const producer = new CliProcess(['produce', 't', '--key-separator', ':', ...address])
  for (let i = 0; !consumer.stdout.includes('before'); i++) {
    producer.child.stdin?.write(`${KEY}:before ${i}\n`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const alter = ['topics', 'alter', 't', '--partitions', '4', '--bootstrap-server', `127.0.0.1:${broker.port}`]
  expect((await runCli(alter)).code).toBe(0)
  await client.produce('t', [{ value: 'straight to a new one' }], { partition: 2 })
  await consumer.outputMatching(/straight to a new one/)
  const moved = async (): Promise<number> => (await client.metadata('t'))[0]?.partitions[3]?.highWatermark ?? 0
  for (let i = 0; (await moved()) === 0; i++) {
    producer.child.stdin?.write(`${KEY}:behind ${i}\n`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  producer.child.stdin?.end()
  expect((await producer.exited).code).toBe(0)
  const [last] = (await client.fetch('t', 3, 0)).slice(-1)
  await consumer.outputMatching(new RegExp(`^${last?.value}$`, 'm'))
  consumer.signal('SIGTERM')
  expect((await consumer.exited).code).toBe(0)
  await client.close()
})
