import { Client } from '../../../src/client/index.js'
import { BATCH_AT } from '../../../src/log/record-batch.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { native } from '../../../src/native/load.js'
import { initProducerIdApi } from '../../../src/wire/kafka/generated/init-producer-id.js'
import { produce } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Acks } from './promise.js'

/** Who wrote a batch, for one that is to be written once. */
export interface ProducerIdentity {
  readonly producerId: number
  readonly sequence: number
}

/** A record to be sent. */
export interface Outgoing {
  readonly key: Buffer
  readonly value: Buffer | null
}

/** A connection that records are sent over. */
export interface Sender {
  /** Sends before it returns; resolves with the first offset. */
  send(topic: string, partition: number, records: readonly Outgoing[], identity?: ProducerIdentity): Promise<number>
  close(): void
}

/** MyKafka's PRODUCE, which counts as acks=1. */
export async function myKafkaSender(port: number): Promise<Sender> {
  const client = await Client.connect({ port })
  return {
    send: async (topic, partition, records) => (await client.produce(topic, records, { partition })).baseOffset,
    close: () => void client.close(),
  }
}

export async function kafkaSender(port: number, acks: Acks): Promise<Sender> {
  const peer = await KafkaPeer.connect(port)
  return {
    send: async (topic, partition, records, identity) => {
      const batch = batchOf(records, identity)
      const answer = await produce(peer, topic, batch, { acks: acks === 'all' ? -1 : 1, partition })
      if (answer.errorCode !== 0) throw new Error(`Produce to ${topic}-${partition} answered ${answer.errorCode}`)
      return answer.baseOffset
    },
    close: () => peer.peer.socket.destroy(),
  }
}

function batchOf(records: readonly Outgoing[], identity?: ProducerIdentity): Buffer {
  const timestamp = Date.now()
  const batch = encodeBatch(records.map((record, offset) => ({ ...record, offset, timestamp })))
  if (identity === undefined) return batch
  batch.writeBigInt64BE(BigInt(identity.producerId), BATCH_AT.producerId)
  batch.writeInt16BE(0, BATCH_AT.producerEpoch)
  batch.writeInt32BE(identity.sequence, BATCH_AT.baseSequence)
  batch.writeUInt32BE(native.crc32c(batch.subarray(BATCH_AT.attributes)), BATCH_AT.crc)
  return batch
}

/** A producer id that nobody had. */
export async function newProducerId(port: number): Promise<number> {
  const peer = await KafkaPeer.connect(port)
  const asked = { transactionalId: null, transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 }
  const { errorCode, producerId = -1 } = await peer.call(initProducerIdApi, 4, asked)
  peer.peer.socket.destroy()
  if (errorCode !== 0) throw new Error(`InitProducerId answered ${errorCode}`)
  return producerId
}
