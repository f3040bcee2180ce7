import { expect, it, onTestFinished } from 'vitest'
import { openTransport } from '../../../../src/client/connect.js'
import { Producer } from '../../../../src/client/producer/producer.js'
import { ERROR } from '../../../support/frames.js'
import { produceBroker } from '../../../support/produce-broker.js'

it('a partition that was gone for a while keeps its order', async () => {
  let count = 2
  const broker = await produceBroker(() => count)
  const transport = openTransport({ brokers: `127.0.0.1:${broker.port}`, retryBackoffMs: 50, retryBackoffMaxMs: 50 })
  const producer = new Producer(transport)
  onTestFinished(async () => {
    await producer.close({ timeoutMs: 0 })
    await transport.close()
  })
  const sends = [producer.send({ topic: 't', partition: 1, value: 'a' })]
  const first = await broker.nth(1)
  count = 1
  first.refuse(ERROR.unknownTopicOrPartition)
  // Answers come in order: behind the second one it is known that partition 1 is gone.
  ;(await broker.nth(2)).refuse(ERROR.unknownTopicOrPartition)
  const third = await broker.nth(3)
  count = 2
  sends.push(producer.send({ topic: 't', partition: 1, value: 'b' }))
  // While the first waits to be repeated, the partition is back.
  third.refuse(ERROR.unknownTopicOrPartition)
  ;(await broker.nth(4)).accept(0)
  ;(await broker.nth(5)).accept(1)
  expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([0, 1])
  expect(broker.received.map(({ records }) => records.join())).toEqual([...Array(4).fill('null=a'), 'null=b'])
})
