import { connect as connectSocket, type Socket } from 'node:net'
import { Client, type Consumer, connect } from '../../src/client/index.js'
import { FrameDecoder } from '../../src/wire/frame-decoder.js'
import { decodeResponse, encodeRequest } from '../../src/wire/mykafka/fetch.js'
import { interleave } from '../support/statistics.js'
import {
  type Effort,
  type Measured,
  makeWorkload,
  measured,
  PARTITIONS,
  type Sample,
  THROUGHPUT_COLUMNS,
  throughputRows,
  VALUE_BYTES,
  type Workload,
} from './workload.js'

/** What the consumer asks for by default. */
const FETCH_BYTES = 1 << 20

/** A bare socket that fetches partitions from their beginnings, a request of each under way, and reads no record. */
class RawReader {
  readonly #socket: Socket
  readonly #decoder = new FrameDecoder(256 << 20)
  /** The partitions of the requests that are not answered. */
  #asked: number[] = []
  #offsets: number[] = []
  #topic = ''
  #left = 0
  #done: () => void = () => {}

  constructor(port: number) {
    this.#socket = connectSocket({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.on('data', (chunk) => {
      this.#decoder.push(chunk)
      for (let frame = this.#decoder.next(); frame !== null; frame = this.#decoder.next()) this.#received(frame)
    })
  }

  /** Resolves when so many records are here. */
  read(topic: string, partitions: number, records: number): Promise<void> {
    this.#topic = topic
    this.#left = records
    this.#offsets = Array.from({ length: partitions }, () => 0)
    return new Promise((resolve) => {
      this.#done = resolve
      for (let partition = 0; partition < partitions; partition++) this.#ask(partition)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #ask(partition: number): void {
    this.#asked.push(partition)
    this.#socket.write(encodeRequest(this.#topic, partition, this.#offsets[partition] as number, FETCH_BYTES))
  }

  #received(frame: Buffer): void {
    const { errorCode, recordCount } = decodeResponse(frame)
    if (errorCode !== 0) throw new Error(`a FETCH is answered with ${errorCode}`)
    const partition = this.#asked.shift() as number
    this.#offsets[partition] = (this.#offsets[partition] as number) + recordCount
    this.#left -= recordCount
    if (recordCount > 0 && this.#left > 0) this.#ask(partition)
    if (this.#left === 0 && this.#asked.length === 0) this.#done()
  }
}

async function pollAll(consumer: Consumer, count: number): Promise<void> {
  await consumer.seekToBeginning()
  for (let left = count; left > 0; ) left -= (await consumer.poll()).length
}

async function fetchAll(client: Client, topic: string, partitions: number): Promise<void> {
  await Promise.all(
    Array.from({ length: partitions }, async (_, partition) => {
      for (let offset = 0; ; ) {
        const records = await client.fetch(topic, partition, offset)
        if (records.length === 0) return
        offset += records.length
      }
    }),
  )
}

/** Consuming a topic of one record size through the client, and the same as bytes. */
async function measureTopic(port: number, client: Client, work: Workload, effort: Effort) {
  const { partitions, records } = work
  const topic = `read-${work.topic}`
  await client.createTopic(topic, partitions)
  const inPartition = Array.from({ length: partitions }, (_, partition) =>
    records.filter((_, i) => i % partitions === partition),
  )
  for (const [partition, of] of inPartition.entries()) await client.produce(topic, of, { partition })
  const raw = new RawReader(port)
  const kafka = connect({ brokers: `127.0.0.1:${port}` })
  const consumer = kafka.consumer({ autoOffsetReset: 'earliest' })
  await consumer.assign(inPartition.map((_, partition) => ({ topic, partition })))
  const variants: Record<string, () => Promise<Sample>> = {
    'raw frames, records unread': () => measured(() => raw.read(topic, partitions, records.length)),
    'Client.fetch': () => measured(() => fetchAll(client, topic, partitions)),
    'Consumer.poll': () => measured(() => pollAll(consumer, records.length)),
  }
  const found = throughputRows(work, await interleave(variants, effort))
  raw.close()
  await kafka.close()
  return found
}

export async function measureConsuming(port: number, effort: Effort): Promise<Measured> {
  const client = await Client.connect({ port })
  const rows: (string | number)[][] = []
  const ratios: Record<string, number> = {}
  for (const valueBytes of VALUE_BYTES) {
    for (const partitions of PARTITIONS) {
      const work = makeWorkload(partitions, valueBytes, effort.records[valueBytes] as number)
      const found = await measureTopic(port, client, work, effort)
      rows.push(...found.rows)
      Object.assign(ratios, found.ratios)
    }
  }
  await client.close()
  return { table: { title: 'Consuming, 1 MiB a request', columns: THROUGHPUT_COLUMNS, rows }, ratios }
}
