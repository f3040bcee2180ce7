import { type ErrorCode, MyKafkaError } from '../../errors.js'
import type { LogRecord } from '../../log/record-codec.js'
import type { TopicPartition } from '../topic-partition.js'

export type { TopicPartition }

/** The offset of the next record that is wanted of a partition. */
export interface TopicPartitionOffset extends TopicPartition {
  readonly offset: number
}

/** A record, and where it was read. Key and value are views of the bytes that came with it, up to `maxPartitionFetchBytes`. */
export interface ConsumerRecord extends LogRecord, TopicPartition {}

/** An error that concerns a consumer's position in one partition. The position stays: seek, to go on elsewhere. */
export class PartitionError extends MyKafkaError implements TopicPartitionOffset {
  override readonly name = 'PartitionError'
  readonly topic: string
  readonly partition: number
  /** Of the record that could not be read. */
  readonly offset: number

  constructor(code: ErrorCode, message: string, at: TopicPartitionOffset, cause?: unknown) {
    super(code, message, { cause })
    this.topic = at.topic
    this.partition = at.partition
    this.offset = at.offset
  }
}

/** For messages. */
export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`
}
