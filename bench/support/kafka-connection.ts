import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { FrameDecoder } from '../../src/wire/frame-decoder.js'
import { createTopicsApi } from '../../src/wire/kafka/generated/create-topics.js'
import { deleteTopicsApi } from '../../src/wire/kafka/generated/delete-topics.js'
import { type ListOffsetsResponsePartition, listOffsetsApi } from '../../src/wire/kafka/generated/list-offsets.js'
import { produceApi } from '../../src/wire/kafka/generated/produce.js'
import type { KafkaApi } from '../../src/wire/kafka/kafka-api.js'
import { decodeResponse, encodeRequest } from '../../src/wire/kafka/request-header.js'

const CLIENT_ID = 'mykafka-bench'
const LATEST = -1
const TIMEOUT_MS = 10_000
const VERSIONS = { createTopics: 4, deleteTopics: 3, listOffsets: 3, produce: 7 }

/** One connection to a broker, for what a benchmark has to arrange. */
export class KafkaConnection {
  readonly #socket: Socket
  readonly #frames = new FrameDecoder()
  readonly #waiting: { resolve(frame: Buffer): void; reject(error: Error): void }[] = []
  #correlationId = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#frames.push(chunk)
      for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
        this.#waiting.shift()?.resolve(frame)
      }
    })
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the broker closed the connection')))
  }

  /** @throws where nothing listens */
  static async connect(port: number): Promise<KafkaConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    return new KafkaConnection(socket)
  }

  /** Resolves when the topic can be used. */
  async createTopic(name: string, configs: Readonly<Record<string, string>> = {}): Promise<void> {
    const topic = {
      name,
      numPartitions: 1,
      replicationFactor: 1,
      assignments: [],
      configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
    }
    const request = { topics: [topic], timeoutMs: TIMEOUT_MS, validateOnly: false }
    const { topics } = await this.#request(createTopicsApi, request, VERSIONS.createTopics)
    check(`CreateTopics ${name}`, topics[0]?.errorCode)
    // The controller has it; the broker hears of it a moment later.
    while ((await this.#latest(name))?.errorCode !== 0) await sleep(1)
  }

  async deleteTopic(name: string): Promise<void> {
    const request = { topics: [], topicNames: [name], timeoutMs: TIMEOUT_MS }
    const { responses } = await this.#request(deleteTopicsApi, request, VERSIONS.deleteTopics)
    check(`DeleteTopics ${name}`, responses[0]?.errorCode)
  }

  /** The offset behind the last record of partition 0. */
  async endOffset(topic: string): Promise<number> {
    const partition = await this.#latest(topic)
    check(`ListOffsets ${topic}`, partition?.errorCode)
    return partition?.offset ?? -1
  }

  /** The batch into partition 0, so many times, all requests under way together: a broker may write them together. */
  async produce(topic: string, batch: Buffer, acks: number, times = 1): Promise<void> {
    const request = produceRequest(topic, batch, acks)
    const answers = Array.from({ length: times }, () => this.#request(produceApi, request, VERSIONS.produce))
    for (const { responses } of await Promise.all(answers)) {
      check(`Produce ${topic}`, responses[0]?.partitionResponses[0]?.errorCode)
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  async #latest(topic: string): Promise<ListOffsetsResponsePartition | undefined> {
    const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: LATEST }]
    const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: topic, partitions }] }
    const { topics } = await this.#request(listOffsetsApi, request, VERSIONS.listOffsets)
    return topics[0]?.partitions[0]
  }

  async #request<Req, Res>(api: KafkaApi<Req, Res>, request: Req, version: number): Promise<Res> {
    const answer = new Promise<Buffer>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    for (const part of encodeRequest(api, request, version, this.#correlationId++, CLIENT_ID)) {
      this.#socket.write(part as Buffer)
    }
    return decodeResponse(api, await answer, version).response
  }
}

/** Asks one thing on a connection of its own. */
export async function askKafka<T>(port: number, ask: (connection: KafkaConnection) => Promise<T>): Promise<T> {
  const connection = await KafkaConnection.connect(port)
  try {
    return await ask(connection)
  } finally {
    connection.close()
  }
}

/** A whole frame that appends the batch to partition 0. Its answers are all of one length. */
export function produceFrame(topic: string, batch: Buffer, acks: number): Buffer {
  const parts = encodeRequest(produceApi, produceRequest(topic, batch, acks), VERSIONS.produce, 0, CLIENT_ID)
  return Buffer.concat(parts as Buffer[])
}

function produceRequest(topic: string, batch: Buffer, acks: number) {
  const partitionData = [{ index: 0, records: batch }]
  return { transactionalId: null, acks, timeoutMs: TIMEOUT_MS, topicData: [{ name: topic, partitionData }] }
}

function check(what: string, errorCode: number | undefined): void {
  if (errorCode !== 0) throw new Error(`${what}: error ${errorCode}`)
}
