/** What real clients say, for mutations to begin with: bytes of others, none of ours but MyKafka's frames by the letter. */
import { readdirSync } from 'node:fs'
import * as frames from '../../support/frames.js'
import { batchVector } from '../../support/kafka-batches.js'
import { readVectors } from '../../support/vectors.js'

/** The topics that conversations are about. */
export const TOPICS = { stored: 'recorded-kafkajs', ours: 'hostile-ours', compacted: 'hostile-compacted' } as const

/** Whole requests, their lengths in front, in an order that makes sense. */
export type Conversation = readonly Buffer[]

interface Exchanges {
  readonly client: string
  readonly exchanges: readonly { readonly request: string }[]
}

interface MessageVectors {
  readonly vectors: readonly {
    readonly direction: string
    readonly case: string
    readonly header: string
    readonly bytes: string
  }[]
}

export function framed(payload: Buffer): Buffer {
  const prefix = Buffer.alloc(4)
  prefix.writeInt32BE(payload.length)
  return Buffer.concat([prefix, payload])
}

function ofMyKafka(): Conversation {
  const topic = TOPICS.ours
  return [
    frames.metadata(''),
    frames.createTopic('hostile-made', 2),
    frames.produce(topic, 0, [{ key: 'k', value: 'v'.repeat(300) }, { value: null }, { key: '', value: '' }]),
    frames.produce(topic, -1, [{ key: 'seat-A-1', value: 'x' }]),
    frames.fetch(topic, 0, 0, 2 ** 31 - 1),
    frames.fetch(TOPICS.stored, 0, 0, 1000),
    frames.commitOffset('hostile', topic, 0, 1),
    frames.fetchOffset('hostile', topic, 0),
    frames.describeStorage(topic),
    frames.awaitRecords(5, [
      [topic, 0, 0],
      [topic, 1, 100],
    ]),
  ]
}

/** A Produce 7 of a client's batch to a topic. */
function produceBatch(topic: string, batch: Buffer): Buffer {
  const name = Buffer.from(topic)
  const head = Buffer.from('000000070000000300017affff0001000075300000000100', 'hex')
  const length = Buffer.from([name.length])
  const tail = Buffer.alloc(12)
  tail.writeInt32BE(1, 0)
  tail.writeInt32BE(batch.length, 8)
  return framed(Buffer.concat([head, length, name, tail, batch]))
}

/** Batches in all codecs, to topics that keep them, open them, or convert them. */
function ofBatches(): Conversation {
  const names = ['one record', '60 records', 'gzip', 'snappy', 'lz4', 'zstd', 'idempotent']
  const batches = names.flatMap((name) => {
    try {
      return [Buffer.from(batchVector(name).sent, 'hex')]
    } catch {
      return []
    }
  })
  return batches.flatMap((batch) => Object.values(TOPICS).map((topic) => produceBatch(topic, batch)))
}

/** Of the Java client: every API, version and field. */
function ofJava(): Conversation {
  const folder = new URL('../../vectors/kafka/', import.meta.url)
  return readdirSync(folder)
    .filter((file) => /^[A-Z]\w+\.json$/.test(file))
    .flatMap((file) => readVectors<MessageVectors>(`kafka/${file}`).vectors)
    .filter(({ direction }) => direction === 'request')
    .map(({ header, bytes }) => framed(Buffer.from(header + bytes, 'hex')))
}

/** All that there is. */
export function loadConversations(): Conversation[] {
  const ofClients = readVectors<Exchanges[]>('kafka/clients.json').map(({ exchanges }) =>
    exchanges.map(({ request }) => framed(Buffer.from(request, 'hex'))),
  )
  const java = ofJava()
  // A conversation of each sort is met as often as one of another, whatever there is of it.
  return [...ofClients, ofMyKafka(), ofMyKafka(), ofBatches(), ofBatches(), java, java]
}
