import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTransport } from '../../../src/client/connect.js'
import { Consumer } from '../../../src/client/consumer/consumer.js'
import { startBroker } from '../../support/broker.js'
import { closedBehind } from '../../support/connected.js'
import { append, numbers, pollFor, valuesByPartition } from '../../support/consumed.js'
import { flipBits } from '../../support/damage.js'
import { temporaryDirectory } from '../../support/temporary.js'

const AT = { topic: 't', partition: 0 }

it('tells of damage on the disk behind the records before it, stays there, and goes on where it is sought', async () => {
  const dataDir = await temporaryDirectory()
  const first = await startBroker({ dataDir })
  const writing = closedBehind(openTransport({ brokers: first.broker.bootstrapServers }))
  const client = await writing.client()
  await client.createTopic('t', 2)
  await append(client, 't', 0, 10)
  await append(client, 't', 1, 5)
  const { records } = await client.fetchRaw('t', 0, 0)
  await writing.close()
  await first.stop()
  // The value of the record 4: each has one character.
  await flipBits(join(dataDir, 't', '0', '00000000000000000000.log'), (records.length / 10) * 5 - 5)

  const { broker } = await startBroker({ dataDir })
  const transport = closedBehind(openTransport({ brokers: broker.bootstrapServers, retryBackoffMs: 1 }))
  const consumer = closedBehind(new Consumer(transport, { autoOffsetReset: 'earliest' }))
  await consumer.assign([AT])
  expect(valuesByPartition(await pollFor(consumer, 4))).toEqual({ 't-0': numbers(0, 3) })
  for (let i = 0; i < 3; i++) {
    await expect(consumer.poll({ timeoutMs: 30_000 })).rejects.toMatchObject({
      name: 'PartitionError',
      code: 'CORRUPT_MESSAGE',
      ...AT,
      offset: 4,
    })
    expect(consumer.position(AT)).toBe(4)
  }
  consumer.seek(AT, 5)
  expect(valuesByPartition(await pollFor(consumer, 5))).toEqual({ 't-0': numbers(5, 9) })
})
