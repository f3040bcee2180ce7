import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { decodeStored } from '../../../src/log/record-codec.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { produceApi } from '../../../src/wire/kafka/generated/produce.js'
import * as frames from '../../support/frames.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { Peer } from '../../support/peer.js'
import { readLog } from '../../support/read-log.js'

const TOPIC = { ours: 'witness-ours', kafka: 'witness-kafka' } as const
const RECORDS = 3

/** What became of the records of one mode. */
export interface Account {
  readonly mode: string
  readonly acknowledged: number
  readonly lost: number
  readonly wrong: number
}

/** One wire's half: it appends a batch and returns its base offset. */
interface Side {
  readonly mode: string
  readonly topic: string
  append(values: readonly string[]): Promise<number>
  /** What was acknowledged, by offset. */
  readonly acknowledged: Map<number, string>
}

/** Makes the topics that witnesses write to. */
export async function makeWitnessTopics(port: number): Promise<void> {
  const peer = await KafkaPeer.connect(port)
  const ours = await Peer.connect(port)
  await ours.call(frames.createTopic(TOPIC.ours, 1))
  const topic = { name: TOPIC.kafka, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }
  await peer.call(createTopicsApi, 7, { topics: [topic], timeoutMs: 0, validateOnly: false })
  peer.peer.socket.destroy()
  ours.socket.destroy()
}

/** A client of both wires that minds its own business beside an attack, and remembers what it was told. */
export class Witness {
  readonly #peer: Peer
  readonly #kafka: KafkaPeer
  readonly #sides: readonly Side[]
  readonly #name: string
  #ending = false
  #running: Promise<unknown> = Promise.resolve()

  /** @param name - what its records begin with */
  static async start(port: number, name: string): Promise<Witness> {
    const witness = new Witness(await Peer.connect(port), await KafkaPeer.connect(port), name)
    witness.#running = Promise.all(witness.#sides.map((side) => witness.#write(side)))
    // Heard of at the end.
    witness.#running.catch(() => {})
    return witness
  }

  private constructor(peer: Peer, kafka: KafkaPeer, name: string) {
    this.#peer = peer
    this.#kafka = kafka
    this.#name = name
    const byMyKafka: Side = {
      mode: 'acks=1',
      topic: TOPIC.ours,
      acknowledged: new Map(),
      append: async (values) => {
        const request = frames.produce(
          TOPIC.ours,
          0,
          values.map((value) => ({ value })),
        )
        const { errorCode, baseOffset } = frames.readProduced(await peer.call(request))
        if (errorCode !== 0) throw new Error(`the witness was answered error ${errorCode}`)
        return baseOffset
      },
    }
    const byKafka: Side = {
      mode: 'acks=all',
      topic: TOPIC.kafka,
      acknowledged: new Map(),
      append: async (values) => {
        const timestamp = Date.now()
        const batch = values.map((value, offset) => ({ offset, timestamp, key: null, value: Buffer.from(value) }))
        const topicData = [{ name: TOPIC.kafka, partitionData: [{ index: 0, records: encodeBatch(batch) }] }]
        const request = { transactionalId: null, acks: -1, timeoutMs: 30_000, topicData }
        const answer = (await kafka.call(produceApi, 9, request)).responses[0]?.partitionResponses[0]
        if (answer?.errorCode !== 0) throw new Error(`the witness was answered error ${answer?.errorCode}`)
        return answer.baseOffset
      },
    }
    this.#sides = [byMyKafka, byKafka]
  }

  async #write(side: Side): Promise<void> {
    for (let request = 0; !this.#ending; request++) {
      const values = Array.from({ length: RECORDS }, (_, i) => `${this.#name} ${request}.${i}`)
      const offset = await side.append(values)
      values.forEach((value, i) => void side.acknowledged.set(offset + i, value))
    }
  }

  /** Ends behind what is under way, and holds the logs against what it was told. */
  async end(): Promise<Account[]> {
    this.#ending = true
    try {
      await this.#running
      return await Promise.all(this.#sides.map((side) => this.#account(side)))
    } finally {
      this.#peer.socket.destroy()
      this.#kafka.peer.socket.destroy()
    }
  }

  async #account({ mode, topic, acknowledged }: Side): Promise<Account> {
    const [from = 0] = acknowledged.keys()
    const peer = this.#peer
    let lost = acknowledged.size
    let wrong = 0
    for (const { offset, value } of decodeStored(await readLog(peer, topic, 0, from))) {
      const known = acknowledged.get(offset)
      if (known === undefined || known !== String(value)) wrong++
      else lost--
    }
    return { mode, acknowledged: acknowledged.size, lost, wrong }
  }
}
