import { CompressionTypes, type EachMessagePayload } from 'kafkajs'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import { connect, kafkajs } from '../../support/kafkajs.js'

it('a fresh group gets the first message of a broker in the same process', async () => {
  const { broker } = await startBroker()
  const kafka = kafkajs(broker)
  const producer = await connect(kafka.producer())
  const consumer = await connect(kafka.consumer({ groupId: 'fresh' }))
  await producer.send({ topic: 't', messages: [{ key: 'k', value: 'v', headers: { h: 'x' } }] })
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  const { topic, partition, message } = await new Promise<EachMessagePayload>((resolve, reject) => {
    consumer.run({ eachMessage: async (payload) => resolve(payload) }).catch(reject)
  })
  expect({ topic, partition }).toEqual({ topic: 't', partition: 0 })
  expect(message).toMatchObject({ offset: '0', key: Buffer.from('k'), value: Buffer.from('v') })
  expect(message.headers).toEqual({ h: Buffer.from('x') })
})

it('what is sent over many partitions comes back, each partition in order', async () => {
  const { broker } = await startBroker({ numPartitions: 3 })
  const kafka = kafkajs(broker)
  const producer = await connect(kafka.producer())
  const sent = Array.from({ length: 300 }, (_, i) => ({ key: `key ${i % 20}`, value: `value ${i}` }))
  for (let at = 0; at < sent.length; at += 50) {
    await producer.send({
      topic: 't',
      messages: sent.slice(at, at + 50),
      compression: at % 100 === 0 ? CompressionTypes.GZIP : CompressionTypes.None,
    })
  }
  const consumer = await connect(kafka.consumer({ groupId: 'group' }))
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  const seen = new Map<string, string[]>()
  let count = 0
  await new Promise<void>((resolve, reject) => {
    const eachMessage = async ({ message }: EachMessagePayload): Promise<void> => {
      const key = String(message.key)
      seen.set(key, [...(seen.get(key) ?? []), String(message.value)])
      if (++count === sent.length) resolve()
    }
    consumer.run({ eachMessage }).catch(reject)
  })
  for (const [key, values] of seen)
    expect(values).toEqual(sent.filter((each) => each.key === key).map(({ value }) => value))
})

it('a tombstone stays one, and an empty value too', async () => {
  const { broker } = await startBroker()
  const kafka = kafkajs(broker)
  const producer = await connect(kafka.producer())
  await producer.send({ topic: 't', messages: [{ key: 'k', value: null }, { key: '', value: '' }, { value: 'v' }] })
  const consumer = await connect(kafka.consumer({ groupId: 'group' }))
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  const seen: (string | null | undefined)[][] = []
  await new Promise<void>((resolve, reject) => {
    const eachMessage = async ({ message }: EachMessagePayload): Promise<void> => {
      seen.push([message.key?.toString() ?? null, message.value?.toString() ?? null])
      if (seen.length === 3) resolve()
    }
    consumer.run({ eachMessage }).catch(reject)
  })
  expect(seen).toEqual([
    ['k', null],
    ['', ''],
    [null, 'v'],
  ])
})

it('an idempotent producer', async () => {
  const { broker } = await startBroker()
  const producer = await connect(kafkajs(broker).producer({ idempotent: true, maxInFlightRequests: 1 }))
  for (let i = 0; i < 3; i++) {
    const [answer] = await producer.send({ topic: 't', acks: -1, messages: [{ value: 'a' }, { value: 'b' }] })
    expect(answer).toMatchObject({ errorCode: 0, baseOffset: String(2 * i) })
  }
})

it('a consumer that waits at the end gets what is produced then', async () => {
  const { broker } = await startBroker()
  const kafka = kafkajs(broker)
  const producer = await connect(kafka.producer())
  await producer.send({ topic: 't', messages: [{ value: 'before' }] })
  const consumer = await connect(kafka.consumer({ groupId: 'group' }))
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  const seen: string[] = []
  let wake = (): void => {}
  const eachMessage = async ({ message }: EachMessagePayload): Promise<void> => {
    seen.push(String(message.value))
    wake()
  }
  await consumer.run({ eachMessage })
  await expect.poll(() => seen).toEqual(['before'])
  for (let i = 0; i < 5; i++) {
    const next = new Promise<void>((resolve) => {
      wake = resolve
    })
    await producer.send({ topic: 't', messages: [{ value: `${i}` }] })
    await next
  }
  expect(seen).toEqual(['before', '0', '1', '2', '3', '4'])
})
