import { MyKafkaError } from '../../errors.js'
import { KEEP_TIMESTAMPS, type PackedBatch } from '../../log/append-queue.js'
import { CODECS } from '../../log/compression-codec.js'
import type { ProducerBatch } from '../../log/producer-state.js'
import { codecOf, isTransactional } from '../../log/record-batch.js'
import { native } from '../../native/load.js'
import { BATCH } from '../../native/native.js'
import type { Topic } from '../../topic/topic.js'
import type { TopicSettings } from '../../topic/topic-settings.js'

/** A batch that a topic takes, as its log wants it. */
export interface AcceptedBatch {
  readonly batch: PackedBatch
  /** Of an idempotent producer. */
  readonly producer: ProducerBatch | undefined
}

const ZSTD = CODECS.indexOf('zstd')
const FIRST_PRODUCE_WITH_ZSTD = 7
const NO_TIMESTAMP = -1

const fields = new Float64Array(BATCH.fields)

/**
 * Checks what a client wants written against the topic's configuration.
 *
 * @param records - one RecordBatch
 * @param version - of the Produce request
 * @throws MyKafkaError CORRUPT_MESSAGE, INVALID_RECORD, MESSAGE_TOO_LARGE, INVALID_TIMESTAMP, INVALID_TXN_STATE,
 *   UNSUPPORTED_COMPRESSION_TYPE
 */
export function acceptBatch(records: Buffer | null, topic: Topic, version: number): AcceptedBatch {
  if (records === null) throw new MyKafkaError('INVALID_RECORD', 'there are no records')
  const { settings } = topic
  native.checkBatch(records, settings.maxMessageBytes, fields)
  const head = { attributes: fields[BATCH.attributes] as number }
  if (codecOf(head) === ZSTD && version < FIRST_PRODUCE_WITH_ZSTD) {
    throw new MyKafkaError('UNSUPPORTED_COMPRESSION_TYPE', `zstd needs Produce ${FIRST_PRODUCE_WITH_ZSTD}`)
  }
  if (isTransactional(head) && topic.recordFormat === 'kafka') {
    throw new MyKafkaError('INVALID_TXN_STATE', 'a transactional batch without a transaction')
  }
  const timestamp = settings.timestampType === 'LogAppendTime' ? Date.now() : KEEP_TIMESTAMPS
  if (timestamp === KEEP_TIMESTAMPS) checkTimestamp(fields[BATCH.maxTimestamp] as number, settings)
  const count = fields[BATCH.count] as number
  const storedLength = fields[BATCH.length] as number
  return { batch: { records, count, timestamp, storedLength }, producer: producerOf(count) }
}

function producerOf(recordCount: number): ProducerBatch | undefined {
  const producerId = fields[BATCH.producerId] as number
  // Some clients give epoch and sequence without an id.
  if (producerId < 0) return undefined
  return {
    producerId,
    producerEpoch: fields[BATCH.producerEpoch] as number,
    baseSequence: fields[BATCH.baseSequence] as number,
    recordCount,
  }
}

function checkTimestamp(largest: number, { timestampBeforeMaxMs, timestampAfterMaxMs }: TopicSettings): void {
  if (largest === NO_TIMESTAMP) return
  const ahead = largest - Date.now()
  if (ahead <= timestampAfterMaxMs && -ahead <= timestampBeforeMaxMs) return
  throw new MyKafkaError('INVALID_TIMESTAMP', `the timestamp ${largest} is further from now than the topic allows`)
}
