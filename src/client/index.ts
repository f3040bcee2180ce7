/**
 * `mykafka/client`: a minimal client of MyKafka's own wire.
 *
 * @module
 */
export { type ErrorCode, MyKafkaError } from '../errors.js'
export type {
  CompactionReportStorage,
  CompactionStorage,
  DamageStorage,
  LogStorage,
  RemovalStorage,
  SegmentStorage,
} from '../log/log-storage.js'
export type { FieldInput, LogRecord, RecordInput } from '../log/record-codec.js'
export type { PartitionStorage, TopicStorage } from '../wire/mykafka/describe-storage.js'
export type { PartitionMetadata, TopicMetadata } from '../wire/mykafka/metadata.js'
export { Client, type ProduceResult, type RawRecords } from './client.js'
export type { ClientOptions } from './options.js'
