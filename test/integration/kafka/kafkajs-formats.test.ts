import * as zlib from 'node:zlib'
import KafkaJs, { type Message } from 'kafkajs'
import { compressFrame, decompressFrame } from 'lz4-napi'
import { compress, uncompress } from 'snappy'
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { startBroker } from '../../support/broker.js'
import { connect, kafkajs } from '../../support/kafkajs.js'

const { CompressionCodecs, CompressionTypes } = KafkaJs
const { None, GZIP, Snappy, LZ4, ZSTD } = CompressionTypes

type Zstd = (bytes: Buffer) => Buffer
const { zstdCompressSync, zstdDecompressSync } = zlib as { zstdCompressSync?: Zstd; zstdDecompressSync?: Zstd }
// Node has zstd from 22.15 on.
const types = zstdCompressSync === undefined ? [None, GZIP, Snappy, LZ4] : [None, GZIP, Snappy, LZ4, ZSTD]

beforeAll(() => {
  CompressionCodecs[Snappy] = () => ({
    compress: ({ buffer }: { buffer: Buffer }) => compress(buffer),
    decompress: async (buffer: Buffer) => (await uncompress(buffer)) as Buffer,
  })
  CompressionCodecs[LZ4] = () => ({
    compress: ({ buffer }: { buffer: Buffer }) => compressFrame(buffer),
    decompress: (buffer: Buffer) => decompressFrame(buffer),
  })
  CompressionCodecs[ZSTD] = () => ({
    compress: async ({ buffer }: { buffer: Buffer }) => (zstdCompressSync as Zstd)(buffer),
    decompress: async (buffer: Buffer) => (zstdDecompressSync as Zstd)(buffer),
  })
})

const messages: Message[] = [
  { key: 'k', value: 'v', timestamp: '1700000000000' },
  { key: null, value: 'a null key', timestamp: '1700000000000' },
  { key: 'tomb', value: null, timestamp: '1699999999000' },
  { key: '', value: '', timestamp: '1700000000001' },
  { key: Buffer.from([0, 255]), value: Buffer.alloc(200_000, 'compressible '), timestamp: '1700000000002' },
]

/** What either client gives of the messages, sent once a compression. */
const expected = types.flatMap((_, round) =>
  messages.map(({ key, value, timestamp }, i) => ({
    offset: round * messages.length + i,
    timestamp: Number(timestamp),
    key: toHex(key),
    value: toHex(value),
  })),
)

function toHex(field: Buffer | string | null | undefined): string | null {
  return field === null || field === undefined ? null : Buffer.from(field).toString('hex')
}

describe.each(['mykafka', 'kafka'] as const)('a topic of the format %s', (format) => {
  it('gives over both wires what kafkajs writes, with every compression', async () => {
    const { broker } = await startBroker()
    const { host, port } = broker
    const ours = await Client.connect({ host, port })
    const kafka = kafkajs(broker)
    if (format === 'mykafka') await ours.createTopic('t', 1)
    else await (await connect(kafka.admin())).createTopics({ topics: [{ topic: 't', numPartitions: 1 }] })
    const producer = await connect(kafka.producer())
    for (const compression of types) await producer.send({ topic: 't', messages, compression, acks: -1 })

    const overOurs = []
    for (let offset = 0; offset < expected.length; ) {
      const found = await ours.fetch('t', 0, offset)
      overOurs.push(...found.map((record) => ({ ...record, key: toHex(record.key), value: toHex(record.value) })))
      offset = (found.at(-1)?.offset ?? expected.length) + 1
    }
    expect(overOurs).toEqual(expected)
    await ours.close()
    expect(await consume(kafka, expected.length)).toEqual(expected)
  })

  it('gives kafkajs what MyKafka’s client writes', async () => {
    const { broker } = await startBroker()
    const { host, port } = broker
    const ours = await Client.connect({ host, port })
    const kafka = kafkajs(broker)
    if (format === 'mykafka') await ours.createTopic('t', 1)
    else await (await connect(kafka.admin())).createTopics({ topics: [{ topic: 't', numPartitions: 1 }] })
    const records = messages.map(({ key, value }) => ({ key: key ?? null, value }))
    const { baseOffset } = await ours.produce('t', records, { partition: 0 })
    const stored = await ours.fetch('t', 0, baseOffset)
    await ours.close()
    const found = await consume(kafka, records.length)
    expect(found).toEqual(stored.map((record) => ({ ...record, key: toHex(record.key), value: toHex(record.value) })))
    expect(found.map(({ key, value }) => ({ key, value }))).toEqual(
      records.map(({ key, value }) => ({ key: toHex(key), value: toHex(value) })),
    )
  })
})

/** The first records of the topic, as a group of kafkajs gets them. */
async function consume(kafka: ReturnType<typeof kafkajs>, count: number) {
  const consumer = await connect(kafka.consumer({ groupId: 'g' }))
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  const found: typeof expected = []
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message: { offset, timestamp, key, value } }) => {
          found.push({ offset: Number(offset), timestamp: Number(timestamp), key: toHex(key), value: toHex(value) })
          if (found.length === count) resolve()
        },
      })
      .catch(reject)
  })
  return found
}
