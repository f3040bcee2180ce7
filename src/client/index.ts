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
export type { PartitionerName } from '../topic/partitioner.js'
export type { PartitionStorage, TopicStorage } from '../wire/mykafka/describe-storage.js'
export type { PartitionMetadata, TopicMetadata } from '../wire/mykafka/metadata.js'
export { Admin } from './admin/admin.js'
export type { AdminOptions } from './admin/calls.js'
export type { ConfigEntry, ConfigSource } from './admin/configs.js'
export type { TopicPartitions } from './admin/consumer-protocol.js'
export type { GroupLag, PartitionLag } from './admin/group-lag.js'
export type { GroupOffset, NewGroupOffset } from './admin/group-offsets.js'
export type { GroupDescription, GroupListing, GroupMember, GroupState } from './admin/groups.js'
export type { OffsetReset, ResetOptions, ResetScope, ResetTarget } from './admin/offset-reset.js'
export type { OffsetSpec } from './admin/offsets.js'
export type { NewTopicOptions, PartitionDescription, TopicDescription } from './admin/topics.js'
export { Client, type FetchOptions, type ProduceResult, type RawRecords } from './client.js'
export {
  type BrokersConnectOptions,
  type CommonConnectOptions,
  type ConnectOptions,
  connect,
  type EngineConnectOptions,
  Kafka,
} from './connect.js'
export { Consumer } from './consumer/consumer.js'
export type { AutoOffsetReset, ConsumerOptions, PollOptions, SubscribeOptions } from './consumer/consumer-options.js'
export type { ConsumerStatistics } from './consumer/statistics.js'
export {
  type ConsumerRecord,
  PartitionError,
  type TopicPartitionOffset,
} from './consumer/topic-partition.js'
export type { ClientOptions } from './options.js'
export type { ProducerOptions } from './producer/options.js'
export type { PartitionFunction, RecordToPlace } from './producer/partition-choice.js'
export type { RecordMetadata } from './producer/pending-send.js'
export { type CloseOptions, Producer, type ProducerStatistics } from './producer/producer.js'
export type { ProducerRecord } from './producer/producer-record.js'
export type { TopicPartition } from './topic-partition.js'
export type { CallOptions } from './transport.js'
