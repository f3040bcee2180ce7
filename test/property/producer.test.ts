/** The producer against a broker that fails at random: what it promises holds, whatever happens in which order. */
import { expect, it, onTestFinished } from 'vitest'
import type { Client, ProduceResult } from '../../src/client/client.js'
import type { ProducerOptions } from '../../src/client/producer/options.js'
import { Producer } from '../../src/client/producer/producer.js'
import type { Transport } from '../../src/client/transport.js'
import { MyKafkaError } from '../../src/errors.js'
import { type Random, testRandom } from '../support/random.js'
import { scaled } from '../support/scale.js'

const PASSING = ['KAFKA_STORAGE_ERROR', 'UNKNOWN_TOPIC_OR_PARTITION', 'NOT_LEADER_OR_FOLLOWER'] as const

/** A transport to logs in memory, whose connections break and whose answers fail at random. */
class FailingBroker {
  readonly logs: string[][]
  readonly #random: Random
  #connection = { closed: false }
  /** Of the connection, answers that are to come. */
  #breaking: (() => void)[] = []

  constructor(random: Random, partitions: number) {
    this.#random = random
    this.logs = Array.from({ length: partitions }, () => [])
  }

  get transport(): Transport {
    const options = { requestTimeoutMs: 1000, retryBackoffMs: 1, retryBackoffMaxMs: 3, metadataMaxAgeMs: 5 }
    const client = async (): Promise<Client> => {
      await this.#turns()
      if (this.#random.next() < 0.2) throw new MyKafkaError('NETWORK_EXCEPTION')
      if (this.#connection.closed) this.#connection = { closed: false }
      return this.#client(this.#connection)
    }
    return { options, client } as unknown as Transport
  }

  #client(connection: { closed: boolean }): Client {
    const metadata = async (topic: string) => {
      await this.#turns()
      if (this.#random.next() < 0.2) throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION')
      return [{ topic, partitions: this.logs.map(() => ({ logStartOffset: 0, highWatermark: 0 })) }]
    }
    const produceFrame = (topic: string, frame: Buffer) => this.#produce(connection, topic, Buffer.from(frame))
    return Object.defineProperty({ metadata, produceFrame }, 'closed', {
      get: () => connection.closed,
    }) as unknown as Client
  }

  async #produce(connection: { closed: boolean }, topic: string, frame: Buffer): Promise<ProduceResult> {
    const broken = new Promise<never>((_, reject) => {
      this.#breaking.push(() => reject(new MyKafkaError('CONNECTION_CLOSED')))
    })
    if (connection.closed) throw new MyKafkaError('CONNECTION_CLOSED')
    return await Promise.race([broken, this.#answer(connection, topic, frame)])
  }

  async #answer(connection: { closed: boolean }, topic: string, frame: Buffer): Promise<ProduceResult> {
    const { partition, values } = readFrame(topic, frame)
    const log = this.logs[partition] as string[]
    const fate = this.#random.next()
    await this.#turns()
    if (fate < 0.1) throw new MyKafkaError(this.#random.pick(PASSING))
    if (fate < 0.13 && values.length > 1) throw new MyKafkaError('MESSAGE_TOO_LARGE')
    if (fate < 0.15) throw new MyKafkaError('INVALID_RECORD')
    if (fate < 0.17) this.#break(connection)
    if (connection.closed && this.#random.next() < 0.5) throw new MyKafkaError('CONNECTION_CLOSED')
    log.push(...values)
    if (fate < 0.2) this.#break(connection)
    await this.#turns()
    return { partition, baseOffset: log.length - values.length, count: values.length }
  }

  #break(connection: { closed: boolean }): void {
    connection.closed = true
    for (const reject of this.#breaking.splice(0)) reject()
  }

  async #turns(): Promise<void> {
    for (let left = this.#random.integer(0, 3); left > 0; left--) await new Promise(setImmediate)
  }
}

function readFrame(topic: string, frame: Buffer): { partition: number; values: string[] } {
  let at = 7 + topic.length
  const partition = frame.readInt32BE(at)
  const count = frame.readInt32BE(at + 4)
  at += 8
  const values = Array.from({ length: count }, () => {
    const valueAt = at + 4 + Math.max(frame.readInt32BE(at), 0)
    at = valueAt + 4 + frame.readInt32BE(valueAt)
    return frame.toString('utf8', valueAt + 4, at)
  })
  return { partition, values }
}

interface Sent {
  readonly value: string
  readonly result: Promise<{ partition: number; offset: number } | { code: string }>
}

async function sendAll(random: Random, producer: Producer, partitions: number, count: number): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let i = 0; i < count; i++) {
    const value = `${i}${'.'.repeat(random.integer(0, 150))}`
    const partition = random.next() < 0.5 ? random.integer(0, partitions - 1) : undefined
    const key = random.next() < 0.5 ? `key-${random.integer(0, 20)}` : null
    const signal = random.next() < 0.05 ? AbortSignal.timeout(random.integer(0, 10)) : undefined
    const send = producer.send({ topic: 'topic', key, value, partition }, { signal })
    const result = send.catch(({ code }: MyKafkaError) => ({ code }))
    sent.push({ value, result })
    if (random.next() < 0.02) await new Promise(setImmediate)
    if (random.next() < 0.005) await result
    if (random.next() < 0.005) void producer.flush()
  }
  return sent
}

it('settles every send as it went, keeps each partition in order, and gives all memory back', async () => {
  const random = testRandom()
  for (let round = 0; round < scaled(3, 100); round++) {
    const partitions = random.integer(1, 5)
    const broker = new FailingBroker(random, partitions)
    const options: ProducerOptions = {
      lingerMs: random.pick([0, 0, 1, 3]),
      batchSize: random.pick([0, 300, 1000, 8192]),
      bufferMemory: random.pick([300, 2000, 100_000]),
      maxInFlight: random.integer(1, 5),
      maxRequestSize: random.pick([500, 2000, 1 << 20]),
    }
    const producer = new Producer(broker.transport, options)
    onTestFinished(() => producer.close({ timeoutMs: 0 }))
    const sent = await sendAll(random, producer, partitions, 400)
    await producer.close()
    const results = await Promise.all(sent.map(({ result }) => result))
    const { queue } = producer.statistics()
    expect(queue, JSON.stringify(options)).toEqual({ records: 0, bytes: 0, batches: 0, inFlight: 0, waiting: 0 })
    const order = new Map(sent.map(({ value }, i) => [value, i]))
    for (const log of broker.logs) {
      const first = [...new Set(log)].map((value) => order.get(value) as number)
      expect(first, JSON.stringify(options)).toEqual(first.toSorted((a, b) => a - b))
    }
    const codes = new Set<string>()
    for (const [i, result] of results.entries()) {
      if ('code' in result) codes.add(result.code)
      else expect(broker.logs[result.partition]?.[result.offset]).toBe(sent[i]?.value)
    }
    for (const code of codes) expect(['INVALID_RECORD', 'MESSAGE_TOO_LARGE', 'ABORTED']).toContain(code)
  }
})
