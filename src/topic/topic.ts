import { MyKafkaError } from '../errors.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { RecordFormat } from '../log/record-format.js'
import type { TopicConfig } from './topic-configs.js'
import type { TopicSettings } from './topic-settings.js'

/** The broker's own topics: clients read them, only the broker writes them. */
export const OFFSETS_TOPIC = '__consumer_offsets'
export const METADATA_TOPIC = '__cluster_metadata'

export function isInternalTopic(name: string): boolean {
  return name === OFFSETS_TOPIC || name === METADATA_TOPIC
}

export function unknownTopic(name: string): MyKafkaError {
  return new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${name}`)
}

/** A topic and its partitions, by number. */
export interface Topic {
  readonly name: string
  /** 16 random bytes in Kafka's base64 form; a topic made anew under the name has another. */
  readonly id: string
  readonly internal: boolean
  /** How its records are stored; fixed when the topic is made. */
  readonly recordFormat: RecordFormat
  /** What was asked for at its creation or since. */
  readonly config: TopicConfig
  /** What its configurations mean. */
  readonly settings: TopicSettings
  /** Null: offline. Its directory is missing or could not be opened; the broker's log says why. */
  readonly partitions: readonly (PartitionLog | null)[]
}
