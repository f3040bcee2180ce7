import { type BrokerConfig, DEFAULT_BROKER_CONFIG, resolveBrokerConfig } from '../../server/broker-config.js'

/** What a configuration says: only what it says. */
export interface ServeSettings extends Partial<BrokerConfig> {
  dataDir?: string
}

/** One setting, as a flag, as a property of a configuration file, or both. */
export interface Setting {
  readonly flag?: { readonly usage: string; readonly description: string }
  /** Kafka's names where Kafka has them. */
  readonly properties?: readonly string[]
  /** @throws Error with the reason, for a text that is no value of this setting */
  readonly read: (text: string) => ServeSettings
}

export const DEFAULT_DATA_DIR = './mykafka-data'

/** The setting, where the broker would accept it. */
function accepted(settings: ServeSettings): ServeSettings {
  resolveBrokerConfig(settings)
  return settings
}

/** Whole numbers: which are in bounds, the broker's configuration says. */
const integer = (key: keyof BrokerConfig) => (text: string) =>
  accepted({ [key]: /^-?\d{1,16}$/.test(text) ? Number(text) : text })

const word = (key: keyof BrokerConfig) => (text: string) => accepted({ [key]: text })

function readZeroCopy(text: string): ServeSettings {
  if (text === 'on' || text === 'off') return { zeroCopy: text === 'on' }
  throw new Error(`it must be on or off, not ${text}`)
}

function readDataDir(text: string): ServeSettings {
  if (text === '') throw new Error('it must name a directory')
  return { dataDir: text }
}

function readLogDirs(text: string): ServeSettings {
  if (text.includes(',')) throw new Error('one directory is supported, not a list')
  return readDataDir(text)
}

function readHost(text: string): ServeSettings {
  if (text === '') throw new Error('it must name an address')
  return { host: text }
}

function readCommitAcks(text: string): ServeSettings {
  if (text === '-1' || text === 'all') return { offsetsCommitRequiredAcks: 'all' }
  if (text === '1') return { offsetsCommitRequiredAcks: 1 }
  throw new Error(`it must be 1 or -1, not ${text}`)
}

/** As in Kafka, no host means all of this machine's addresses. */
function readListeners(text: string): ServeSettings {
  const match = /^PLAINTEXT:\/\/(?:\[([^\]]+)\]|([^:,[\]]*)):(\d{1,5})$/.exec(text)
  if (match === null) throw new Error(`one listener PLAINTEXT://HOST:PORT is supported, not ${text}`)
  return accepted({ host: match[1] || match[2] || '0.0.0.0', port: Number(match[3]) })
}

const { host, port, segmentBytes, indexIntervalBytes, partitioner, fsync, zeroCopy, maxConnections } =
  DEFAULT_BROKER_CONFIG

/** Every setting of `mykafka serve`. */
export const SETTINGS: readonly Setting[] = [
  {
    flag: {
      usage: '--data-dir <directory>',
      description: `where topics are kept (default: ${DEFAULT_DATA_DIR})`,
    },
    read: readDataDir,
  },
  { properties: ['log.dirs', 'log.dir'], read: readLogDirs },
  {
    flag: { usage: '--host <address>', description: `the address to listen on (default: ${host})` },
    read: readHost,
  },
  {
    flag: {
      usage: '--port <n>',
      description: `the port to listen on, 0 picks a free one (default: ${port})`,
    },
    read: integer('port'),
  },
  { properties: ['listeners'], read: readListeners },
  {
    flag: {
      usage: '--segment-bytes <n>',
      description: `a segment file rolls before it would be larger (default: ${segmentBytes})`,
    },
    properties: ['log.segment.bytes'],
    read: integer('segmentBytes'),
  },
  {
    flag: {
      usage: '--index-interval-bytes <n>',
      description: `log bytes between two index entries (default: ${indexIntervalBytes})`,
    },
    properties: ['log.index.interval.bytes'],
    read: integer('indexIntervalBytes'),
  },
  {
    flag: {
      usage: '--partitioner <name>',
      description: `murmur2 (Kafka's) or java-hash, for records without a partition (default: ${partitioner})`,
    },
    properties: ['partitioner'],
    read: word('partitioner'),
  },
  {
    flag: {
      usage: '--fsync <policy>',
      description: `acks (as each request asks), always or never (default: ${fsync})`,
    },
    properties: ['fsync'],
    read: word('fsync'),
  },
  {
    flag: {
      usage: '--zero-copy <on|off>',
      description: `whether fetches go from the file to the socket by sendfile (default: ${zeroCopy ? 'on' : 'off'})`,
    },
    properties: ['zero.copy'],
    read: readZeroCopy,
  },
  {
    flag: {
      usage: '--max-connections <n>',
      description: `more connections are refused (default: ${maxConnections})`,
    },
    properties: ['max.connections'],
    read: integer('maxConnections'),
  },
  { properties: ['log.index.size.max.bytes'], read: integer('segmentIndexBytes') },
  { properties: ['log.flush.offset.checkpoint.interval.ms'], read: integer('flushIntervalMs') },
  { properties: ['node.id'], read: integer('nodeId') },
  { properties: ['connections.max.idle.ms'], read: integer('maxIdleMs') },
  { properties: ['socket.request.max.bytes'], read: integer('maxFrameBytes') },
  { properties: ['group.initial.rebalance.delay.ms'], read: integer('groupInitialRebalanceDelayMs') },
  { properties: ['group.min.session.timeout.ms'], read: integer('groupMinSessionTimeoutMs') },
  { properties: ['group.max.session.timeout.ms'], read: integer('groupMaxSessionTimeoutMs') },
  { properties: ['group.max.size'], read: integer('groupMaxSize') },
  { properties: ['offset.metadata.max.bytes'], read: integer('offsetMetadataMaxBytes') },
  { properties: ['offsets.retention.minutes'], read: integer('offsetsRetentionMinutes') },
  { properties: ['offsets.retention.check.interval.ms'], read: integer('offsetsRetentionCheckIntervalMs') },
  { properties: ['offsets.commit.required.acks'], read: readCommitAcks },
]
