import { expect } from 'vitest'
import { decodeBatches } from '../../../src/log/record-batch.js'
import { native } from '../../../src/native/load.js'
import { initProducerIdApi } from '../../../src/wire/kafka/generated/init-producer-id.js'
import { fetch, makeTopicWith, produce, recordCount, sentBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { requestUntilLost } from './until-lost.js'

const TOPIC = 'records'
const PARTITIONS = 2
const PRODUCERS = 6
/** As many as a broker remembers, and as a client has under way at the most. */
const IN_FLIGHT = 5
const MOST_ANSWERS = 500
const BATCHES = ['one record', '60 records', 'gzip', 'zstd'].map(sentBatch)
const IDEMPOTENT = { transactionalId: null, transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 }

interface SentBatch {
  readonly sequence: number
  readonly bytes: Buffer
  baseOffset?: number
}

/** A producer that sends again what was not answered, as clients do. */
class IdempotentProducer {
  readonly partition: number
  readonly #acks: number
  producerId = -1
  readonly answered: SentBatch[] = []
  #unanswered: SentBatch[] = []
  #nextSequence = 0

  constructor(number: number) {
    this.partition = number % PARTITIONS
    this.#acks = number % 3 === 0 ? 1 : -1
  }

  /** Keeps batches under way until the broker is gone. */
  async produceUntilLost(port: number, point: KillPoint, random: Random): Promise<void> {
    const unsent = [...this.#unanswered]
    const connect = () => this.#connect(port)
    await requestUntilLost(IN_FLIGHT, connect, async (peer) => {
      const batch = unsent.shift() ?? this.#next(random)
      const answer = await produce(peer, TOPIC, batch.bytes, { acks: this.#acks, partition: this.partition })
      expect(answer).toMatchObject({ errorCode: 0 })
      batch.baseOffset = answer.baseOffset
      this.answered.push(batch)
      this.#unanswered = this.#unanswered.filter((each) => each !== batch)
      void point.answered()
    })
  }

  async #connect(port: number): Promise<KafkaPeer> {
    const peer = await KafkaPeer.connect(port)
    if (this.producerId < 0) {
      const { producerId = -1 } = await peer.call(initProducerIdApi, 4, IDEMPOTENT)
      this.producerId = producerId
    }
    return peer
  }

  #next(random: Random): SentBatch {
    const bytes = Buffer.from(random.pick(BATCHES))
    bytes.writeBigInt64BE(BigInt(this.producerId), 43)
    bytes.writeInt16BE(0, 51)
    bytes.writeInt32BE(this.#nextSequence, 53)
    bytes.writeUInt32BE(native.crc32c(bytes.subarray(21)), 17)
    const batch = { sequence: this.#nextSequence, bytes }
    this.#nextSequence += recordCount(bytes)
    this.#unanswered.push(batch)
    return batch
  }
}

/** The broker is killed at a random moment of each round: nobody's batch is lost, and none is there twice. */
export async function killUnderIdempotentProducers(random: Random, rounds: number): Promise<void> {
  const options = await busyBroker(await temporaryDirectory())
  const producers = Array.from({ length: PRODUCERS }, (_, number) => new IdempotentProducer(number))
  await killInRounds(options, random, rounds, {
    prepare: async ({ port }) => {
      await makeTopicWith(await KafkaPeer.connect(port), TOPIC, {}, PARTITIONS)
    },
    work: ({ port }) => {
      const point = new KillPoint(random, MOST_ANSWERS)
      return { point, work: producers.map((producer) => producer.produceUntilLost(port, point, random)) }
    },
    compare: async ({ port }) => {
      const peer = await KafkaPeer.connect(port)
      for (let partition = 0; partition < PARTITIONS; partition++) await compare(peer, partition, producers)
    },
  })
  const ids = producers.map(({ producerId }) => producerId).filter((id) => id >= 0)
  expect(new Set(ids).size).toBe(ids.length)
  expect(producers.some(({ answered }) => answered.length > 0)).toBe(true)
}

async function compare(peer: KafkaPeer, partition: number, all: readonly IdempotentProducer[]): Promise<void> {
  const there = new Map(all.map(({ producerId }) => [producerId, new Map<number, number>()]))
  const next = new Map<number, number>()
  for (let offset = 0; ; ) {
    const [found] = await fetch(peer, { topic: TOPIC, partition, offset })
    expect(found?.errorCode).toBe(0)
    if (found === undefined || found.records.length === 0) break
    for (const { producerId, baseSequence, baseOffset, count } of decodeBatches(found.records)) {
      expect(baseOffset).toBe(offset)
      expect(baseSequence, `producer ${producerId}`).toBe(next.get(producerId) ?? 0)
      next.set(producerId, baseSequence + count)
      there.get(producerId)?.set(baseSequence, baseOffset)
      offset += count
    }
  }
  for (const { producerId, answered, partition: of } of all) {
    if (of !== partition) continue
    for (const { sequence, baseOffset } of answered) expect(there.get(producerId)?.get(sequence)).toBe(baseOffset)
  }
}
