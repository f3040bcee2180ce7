import type { FsyncPolicy } from '../log/log-config.js'
import { MAX_PARTITIONS } from '../topic/partition-count.js'
import type { PartitionerName } from '../topic/partitioner.js'
import { DEFAULT_MAX_FRAME_BYTES } from '../wire/frame-decoder.js'
import { CLEANER_BOUNDS, type CleanerSettings, DEFAULT_CLEANER_SETTINGS } from './cleaner-settings.js'
import { DEFAULT_GROUP_SETTINGS, GROUP_BOUNDS, type GroupSettings } from './group-settings.js'
import type { Listener } from './listeners.js'

/** Settings of a broker. Kafka's name of each is given where it has one. */
export interface BrokerConfig extends GroupSettings, CleanerSettings {
  /** The address to listen on; default 127.0.0.1. Where `listeners` are given, of the first of them. */
  host: string
  /** 0 picks a free one. Where `listeners` are given, of the first of them. */
  port: number
  /** `listeners`: the addresses to listen on, where there are several, or where they have names. */
  listeners: readonly Listener[]
  /**
   * `advertised.listeners`: what clients are told of a listener, by its name. Default: the address that is listened
   * on; where that is any address of the machine, the one that the client came to.
   */
  advertisedListeners: readonly Listener[]
  /**
   * Settings by Kafka's names, as in its server.properties; the fields beside win. All of Kafka's names are known: what
   * has no meaning here is told in the log.
   */
  properties: Readonly<Record<string, string | number | boolean>>
  /** `node.id`; default 1. Kept in the data directory from the first start on. */
  nodeId: number
  /** `log.segment.bytes`: 1024 to 2147483647; default 1 GiB. */
  segmentBytes: number
  /** `log.index.interval.bytes`: 0 to 2147483647; default 4096. */
  indexIntervalBytes: number
  /** `log.index.size.max.bytes`: 8 to 2147483647; default 10 MiB. */
  segmentIndexBytes: number
  /** What an acknowledgement waits for: see README.md, "What an acknowledgement means". */
  fsync: FsyncPolicy
  /** Milliseconds between two syncs of what nobody waited for (`log.flush.offset.checkpoint.interval.ms`); default 60000. */
  flushIntervalMs: number
  /** `log.retention.check.interval.ms`: how often logs are looked through for what retention removes; default 300000. */
  retentionCheckIntervalMs: number
  /** `auto.create.topics.enable`: whether a Kafka client that asks for a missing topic makes it; default true. */
  autoCreateTopicsEnable: boolean
  /** `producer.id.expiration.ms`: how long a partition remembers an idempotent producer; default 86400000, a day. */
  producerIdExpirationMs: number
  /** `delete.topic.enable`: whether Kafka clients may delete topics; default true. */
  deleteTopicEnable: boolean
  /** `broker.rack`: what clients are told of where this broker is; default null, nothing. */
  rack: string | null
  /** `message.max.bytes`: the largest batch that topics of Kafka records take; default 1048588. */
  messageMaxBytes: number
  /** `num.partitions`: of a topic that is made without a number; 1 to 10000, default 1. */
  numPartitions: number
  /** `max.partitions`: ours, of all topics together; default 50000. */
  maxPartitions: number
  /** `fetch.max.bytes`: of records in the answer to a Kafka Fetch; 1024 to 2147483647, default 57671680. */
  fetchMaxBytes: number
  /** `max.incremental.fetch.session.cache.slots`: fetch sessions of Kafka clients; 0 to 2147483647, default 1000. */
  maxFetchSessions: number
  /** How the broker chooses a partition by key; default murmur2. */
  partitioner: PartitionerName
  /** Whether stored bytes go from the file to the socket without a copy (Linux). Default true. */
  zeroCopy: boolean
  /** `socket.request.max.bytes`: the longest frame; 1024 to 2147483647; default 104857600. */
  maxFrameBytes: number
  /** `queued.max.request.bytes`: of requests of all connections in memory, whole or not; -1: any; default 256 MiB. */
  queuedMaxRequestBytes: number
  /** `max.connections`; default 10000. */
  maxConnections: number
  /** `max.connections.per.ip`: of one address; default 2147483647. */
  maxConnectionsPerIp: number
  /** `max.connections.per.ip.overrides`: as a list of `ADDRESS:COUNT`; default empty. */
  maxConnectionsPerIpOverrides: string
  /** `connections.max.idle.ms`; default 600000. */
  maxIdleMs: number
  /** A peer that takes no byte of its responses for so long is dropped; default 30000. */
  stallTimeoutMs: number
  /** Bytes of requests under way, and as many of responses, held in memory for one connection; default 4 MiB. */
  maxConnectionBytes: number
  /** Bytes of responses held in memory for all connections; default 256 MiB. */
  maxResponseBytes: number
  /** Requests of one connection that may be under way; default 1024. */
  maxInFlight: number
  /** How long a stop waits for connections to finish; default 5000, half of what `docker stop` gives. */
  shutdownTimeoutMs: number
}

export const DEFAULT_BROKER_CONFIG: Readonly<BrokerConfig> = {
  host: '127.0.0.1',
  port: 9092,
  listeners: [],
  advertisedListeners: [],
  properties: {},
  nodeId: 1,
  segmentBytes: 1 << 30,
  indexIntervalBytes: 4096,
  segmentIndexBytes: 10 << 20,
  fsync: 'acks',
  flushIntervalMs: 60_000,
  retentionCheckIntervalMs: 300_000,
  autoCreateTopicsEnable: true,
  deleteTopicEnable: true,
  producerIdExpirationMs: 86_400_000,
  rack: null,
  messageMaxBytes: 1_048_588,
  numPartitions: 1,
  maxPartitions: 50_000,
  fetchMaxBytes: 55 << 20,
  maxFetchSessions: 1000,
  partitioner: 'murmur2',
  zeroCopy: true,
  maxFrameBytes: DEFAULT_MAX_FRAME_BYTES,
  queuedMaxRequestBytes: 256 << 20,
  maxConnections: 10_000,
  maxConnectionsPerIp: 2147483647,
  maxConnectionsPerIpOverrides: '',
  maxIdleMs: 600_000,
  stallTimeoutMs: 30_000,
  maxConnectionBytes: 4 << 20,
  maxResponseBytes: 256 << 20,
  maxInFlight: 1024,
  shutdownTimeoutMs: 5000,
  ...DEFAULT_GROUP_SETTINGS,
  ...DEFAULT_CLEANER_SETTINGS,
}

const MAX_INT32 = 2147483647

/** Bounds of the settings that are whole numbers. */
export const BOUNDS: Partial<Record<keyof BrokerConfig, readonly [name: string, low: number, high: number]>> = {
  nodeId: ['node.id', 0, MAX_INT32],
  flushIntervalMs: ['log.flush.offset.checkpoint.interval.ms', 1, MAX_INT32],
  retentionCheckIntervalMs: ['log.retention.check.interval.ms', 1, Number.MAX_SAFE_INTEGER],
  segmentBytes: ['log.segment.bytes', 1024, MAX_INT32],
  indexIntervalBytes: ['log.index.interval.bytes', 0, MAX_INT32],
  segmentIndexBytes: ['log.index.size.max.bytes', 8, MAX_INT32],
  producerIdExpirationMs: ['producer.id.expiration.ms', 1, MAX_INT32],
  messageMaxBytes: ['message.max.bytes', 0, MAX_INT32],
  numPartitions: ['num.partitions', 1, MAX_PARTITIONS],
  maxPartitions: ['max.partitions', 1, MAX_INT32],
  fetchMaxBytes: ['fetch.max.bytes', 1024, MAX_INT32],
  maxFetchSessions: ['max.incremental.fetch.session.cache.slots', 0, MAX_INT32],
  maxFrameBytes: ['socket.request.max.bytes', 1024, MAX_INT32],
  queuedMaxRequestBytes: ['queued.max.request.bytes', -1, Number.MAX_SAFE_INTEGER],
  maxConnections: ['max.connections', 1, MAX_INT32],
  maxConnectionsPerIp: ['max.connections.per.ip', 0, MAX_INT32],
  maxIdleMs: ['connections.max.idle.ms', 1, MAX_INT32],
  stallTimeoutMs: ['stall timeout', 1, MAX_INT32],
  maxConnectionBytes: ['response bytes of a connection', 1, Number.MAX_SAFE_INTEGER],
  maxResponseBytes: ['response bytes', 1, Number.MAX_SAFE_INTEGER],
  maxInFlight: ['requests in flight', 1, MAX_INT32],
  shutdownTimeoutMs: ['shutdown timeout', 0, MAX_INT32],
  ...GROUP_BOUNDS,
  ...CLEANER_BOUNDS,
}
