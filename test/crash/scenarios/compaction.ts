import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { compress } from '../../../src/log/recompression.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { initProducerIdApi } from '../../../src/wire/kafka/generated/init-producer-id.js'
import { fetchEntries } from '../../support/both-wires.js'
import { makeTopicWith, produce } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { fetchRecords } from '../../support/kafka-records.js'
import { Peer } from '../../support/peer.js'
import type { Random } from '../../support/random.js'
import { withRecords } from '../../support/record-batches.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { requestUntilLost } from './until-lost.js'

const COMPACTED = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0', 'segment.bytes': '8192' }
/** Segments are compacted as soon as they are full. */
const PROPERTIES = ['log.cleaner.backoff.ms=1', 'log.retention.check.interval.ms=20', 'log.segment.delete.delay.ms=1']
const MYKAFKA_TOPIC = 'records'
const KAFKA_TOPIC = 'batches'
const KEYS = 12
const IN_FLIGHT = 5
const MOST_ANSWERS = 1000

/** One request: records of the writer's keys, their values counting up. */
interface Request {
  readonly numbers: readonly number[]
  readonly sequence: number
  baseOffset: number | null
}

/** Writes keys of its own, so that what comes behind what is known. */
abstract class Writer {
  abstract readonly topic: string
  readonly requests: Request[] = []
  protected waiting: Request[] = []
  #next = 0

  constructor(readonly name: string) {}

  keyOf(number: number): string {
    return `${this.name}-${(number * 7) % KEYS}`
  }

  /** Now and then it is a tombstone. */
  valueOf(number: number): string | null {
    return number % 11 === 0 ? null : `${number} ${'.'.repeat(number % 120)}`
  }

  protected records({ numbers }: Request) {
    return numbers.map((number) => ({ key: this.keyOf(number), value: this.valueOf(number) }))
  }

  /** Keeps requests under way until the broker is gone. */
  async writeUntilLost(port: number, point: KillPoint, random: Random): Promise<void> {
    const again = this.takeAgain()
    const connect = () => this.connect(port)
    await requestUntilLost(IN_FLIGHT, connect, async () => {
      const request = again.shift() ?? this.#request(random)
      const baseOffset = await this.send(request)
      request.baseOffset = baseOffset
      this.waiting = this.waiting.filter((each) => each !== request)
      await point.answered()
    })
  }

  #request(random: Random): Request {
    const numbers = Array.from({ length: random.integer(1, 10) }, () => ++this.#next)
    const request = { numbers, sequence: (numbers[0] as number) - 1, baseOffset: null }
    this.requests.push(request)
    this.waiting.push(request)
    return request
  }

  protected abstract connect(port: number): Promise<void>
  protected abstract send(request: Request): Promise<number>
  /** What was not answered, as far as it is to be sent again. */
  protected abstract takeAgain(): Request[]
}

class MyKafkaWriter extends Writer {
  readonly topic = MYKAFKA_TOPIC
  #client!: Client

  protected async connect(port: number): Promise<void> {
    this.#client = await Client.connect({ port })
  }

  protected async send(request: Request): Promise<number> {
    return (await this.#client.produce(this.topic, this.records(request), { partition: 0 })).baseOffset
  }

  protected takeAgain(): Request[] {
    this.waiting = []
    return []
  }
}

/** An idempotent producer. */
class KafkaWriter extends Writer {
  readonly topic = KAFKA_TOPIC
  #peer!: KafkaPeer
  #producerId = -1
  #encoded: Promise<Buffer> = Promise.resolve(Buffer.alloc(0))

  protected async connect(port: number): Promise<void> {
    this.#peer = await KafkaPeer.connect(port)
    if (this.#producerId >= 0) return
    const asked = { transactionalId: null, transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 }
    this.#producerId = (await this.#peer.call(initProducerIdApi, 4, asked)).producerId ?? -1
  }

  protected async send(request: Request): Promise<number> {
    const { sequence } = request
    // One does not overtake the other on its way through a codec.
    this.#encoded = this.#encoded.then(() => this.#batch(request))
    const answer = await produce(this.#peer, this.topic, await this.#encoded, { acks: sequence % 2 === 0 ? 1 : -1 })
    expect(answer).toMatchObject({ errorCode: 0 })
    return answer.baseOffset
  }

  protected takeAgain(): Request[] {
    return [...this.waiting]
  }

  async #batch(request: Request): Promise<Buffer> {
    const timestamp = Date.now()
    const plain = encodeBatch(
      this.records(request).map(({ key, value }, offset) => {
        return { offset, timestamp, key: Buffer.from(key), value: value === null ? null : Buffer.from(value) }
      }),
    )
    plain.writeBigInt64BE(BigInt(this.#producerId), 43)
    plain.writeInt16BE(0, 51)
    plain.writeInt32BE(request.sequence, 53)
    const { codec, bytes } = await compress(request.sequence % 5, plain.subarray(61))
    return withRecords(plain, bytes, codec)
  }
}

/** The broker is killed at a random moment of each round, while it compacts all the time. */
export async function killUnderCompaction(random: Random, rounds: number): Promise<void> {
  const options = await busyBroker(await temporaryDirectory(), PROPERTIES)
  const writers = [0, 1].flatMap((number) => [new MyKafkaWriter(`m${number}`), new KafkaWriter(`k${number}`)])
  await killInRounds(options, random, rounds, {
    prepare: async ({ port }) => {
      const peer = await KafkaPeer.connect(port)
      await makeTopicWith(peer, MYKAFKA_TOPIC, { ...COMPACTED, 'record.format': 'mykafka' })
      await makeTopicWith(peer, KAFKA_TOPIC, COMPACTED)
    },
    work: (broker) => {
      const point = new KillPoint(random, MOST_ANSWERS, broker.writes('compacted '))
      return { point, work: writers.map((writer) => writer.writeUntilLost(broker.port, point, random)) }
    },
    compare: ({ port }) => compare(port, writers),
  })
}

interface FoundRecord {
  readonly offset: number
  readonly key: string
  readonly value: string | null
}

async function compare(port: number, writers: readonly Writer[]): Promise<void> {
  const [mykafka, kafka] = [await Peer.connect(port), await KafkaPeer.connect(port)]
  for (const topic of [MYKAFKA_TOPIC, KAFKA_TOPIC]) {
    const ofTopic = writers.filter((writer) => writer.topic === topic)
    for (const records of [await fetchEntries(mykafka, topic), await fetchRecords(kafka, topic)]) {
      const found = records.map(({ offset, key, value }) => ({
        offset,
        key: `${key}`,
        value: value?.toString() ?? null,
      }))
      for (const [at, { offset }] of found.entries()) {
        expect(offset, 'offsets ascend').toBeGreaterThan(found[at - 1]?.offset ?? -1)
      }
      for (const writer of ofTopic) compareKeys(writer, found)
    }
  }
}

/** Of each key what was acknowledged last is there, or what was sent behind it; what is there is there once, and as it was. */
function compareKeys(writer: Writer, found: readonly FoundRecord[]): void {
  const sentAt = new Map<number, number | null>()
  for (const { numbers, baseOffset } of writer.requests) {
    for (const [index, number] of numbers.entries()) sentAt.set(number, baseOffset === null ? null : baseOffset + index)
  }
  const last = new Map<string, number>()
  const own = found.filter(({ key }) => key.startsWith(`${writer.name}-`))
  const numbers = numbersOf(writer, own)
  for (const [at, { offset, key, value }] of own.entries()) {
    const number = numbers[at] as number
    expect([key, value]).toEqual([writer.keyOf(number), writer.valueOf(number)])
    expect(number, `${key} at ${offset}`).toBeGreaterThan(last.get(key) ?? 0)
    last.set(key, number)
    const acknowledged = sentAt.get(number)
    expect(acknowledged, `${key} at ${offset}`).toBeDefined()
    if (acknowledged !== null) expect(acknowledged).toBe(offset)
  }
  for (const [number, offset] of sentAt) {
    if (offset === null) continue
    expect(last.get(writer.keyOf(number)) ?? 0, `${writer.name} ${number} at ${offset}`).toBeGreaterThanOrEqual(number)
  }
}

/**
 * A tombstone does not tell its number. One that was not acknowledged lies between two that were, or behind all: among
 * what was under way at a kill no key has two.
 */
function numbersOf(writer: Writer, own: readonly FoundRecord[]): number[] {
  const byOffset = new Map<number, number>()
  const lost: number[] = []
  for (const { numbers, baseOffset } of writer.requests) {
    if (baseOffset === null) lost.push(...numbers)
    else for (const [index, number] of numbers.entries()) byOffset.set(baseOffset + index, number)
  }
  const acknowledged = [...byOffset].sort(([a], [b]) => a - b)
  return own.map(({ key, value, offset }) => {
    if (value !== null) return Number(value.split(' ')[0])
    const before = acknowledged.findLast(([at]) => at <= offset)
    if (before?.[0] === offset) return before[1]
    const number = lost.find((each) => {
      return each > (before?.[1] ?? 0) && writer.keyOf(each) === key && writer.valueOf(each) === null
    })
    if (number === undefined) throw new Error(`the tombstone of ${key} at ${offset} was never sent`)
    return number
  })
}
