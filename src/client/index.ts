/**
 * `mykafka/client`: producers, consumers and administration over a broker or an engine in this process; beneath them
 * {@link Client}, the calls of MyKafka's own wire over one connection.
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
export type { Logger } from '../logger.js'
export type { PartitionStorage, TopicStorage } from '../wire/mykafka/describe-storage.js'
export type { PartitionMetadata, TopicMetadata } from '../wire/mykafka/metadata.js'
export { Client, type FetchOptions, type ProduceResult, type RawRecords } from './client.js'
export {
  type BrokersConnectOptions,
  type CommonConnectOptions,
  type ConnectOptions,
  connect,
  type EngineConnectOptions,
  Kafka,
} from './connect.js'
export type { ClientOptions } from './options.js'
export type { CallOptions } from './transport.js'
