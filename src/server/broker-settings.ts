import type { ConfigDefinition, ConfigType } from '../topic/config-definition.js'
import { PARTITIONERS } from '../topic/partitioner.js'
import { TOPIC_CONFIGS, type TopicConfigDefinition } from '../topic/topic-configs.js'
import { BOUNDS, type BrokerConfig, DEFAULT_BROKER_CONFIG } from './broker-config.js'

/** A setting of brokers by Kafka's name. */
export interface BrokerSetting extends ConfigDefinition {
  /** The field of {@link BrokerConfig} that it becomes, where there is one for it alone. */
  readonly field?: keyof BrokerConfig
}

type Field = keyof BrokerConfig

function textOf(value: unknown): string | null {
  return value === null || typeof value === 'object' ? null : String(value)
}

/** A setting that is a field. Bounds and default are the field's. */
function setting(name: string, field: Field, type: ConfigType, doc: string, values?: readonly string[]): BrokerSetting {
  const [, low, high] = BOUNDS[field] ?? []
  return {
    name,
    field,
    type,
    default: textOf(DEFAULT_BROKER_CONFIG[field]),
    ...(low !== undefined && high !== undefined && { low, high }),
    ...(values && { values }),
    effect: 'now',
    doc,
  }
}

const FIELDS: readonly BrokerSetting[] = [
  setting(
    'node.id',
    'nodeId',
    'int',
    'The id of this broker. It is kept in the data directory from the first start on.',
  ),
  setting('broker.rack', 'rack', 'string', 'What clients are told of where this broker is.'),
  setting(
    'auto.create.topics.enable',
    'autoCreateTopicsEnable',
    'boolean',
    'Whether a client that asks for a missing topic makes it.',
  ),
  setting('delete.topic.enable', 'deleteTopicEnable', 'boolean', 'Whether clients may delete topics.'),
  setting('num.partitions', 'numPartitions', 'int', 'Of a topic that is made without a number of partitions.'),
  setting(
    'max.partitions',
    'maxPartitions',
    'int',
    'Ours: partitions of all topics together. More are refused (POLICY_VIOLATION): each takes memory and three files.',
  ),
  setting('message.max.bytes', 'messageMaxBytes', 'int', 'max.message.bytes of topics of record format kafka.'),
  setting('log.segment.bytes', 'segmentBytes', 'int', 'segment.bytes of topics.'),
  setting('log.index.interval.bytes', 'indexIntervalBytes', 'int', 'index.interval.bytes of topics.'),
  setting('log.index.size.max.bytes', 'segmentIndexBytes', 'int', 'segment.index.bytes of topics.'),
  setting(
    'log.flush.offset.checkpoint.interval.ms',
    'flushIntervalMs',
    'int',
    'How often what nobody waited for is synced, and the recovery points are written.',
  ),
  setting(
    'log.retention.check.interval.ms',
    'retentionCheckIntervalMs',
    'long',
    'How often logs are looked through for what retention removes, and for segments to roll.',
  ),
  setting('producer.id.expiration.ms', 'producerIdExpirationMs', 'int', 'How long a partition remembers a producer.'),
  setting('socket.request.max.bytes', 'maxFrameBytes', 'int', 'The longest request or response.'),
  setting('max.connections', 'maxConnections', 'int', 'More connections are closed at once.'),
  setting(
    'queued.max.request.bytes',
    'queuedMaxRequestBytes',
    'long',
    'Bytes of requests of all connections in memory, whole or not: more are not read. (Kafka has no limit.)',
  ),
  setting(
    'max.connections.per.ip',
    'maxConnectionsPerIp',
    'int',
    'More connections of one address are closed at once.',
  ),
  setting(
    'max.connections.per.ip.overrides',
    'maxConnectionsPerIpOverrides',
    'string',
    'The same for some addresses: a list of ADDRESS:COUNT.',
  ),
  setting('connections.max.idle.ms', 'maxIdleMs', 'long', 'A connection that is idle for so long is closed.'),
  setting('fetch.max.bytes', 'fetchMaxBytes', 'int', 'The most bytes of records in the answer to a Fetch.'),
  setting('max.incremental.fetch.session.cache.slots', 'maxFetchSessions', 'int', 'How many fetch sessions are kept.'),
  setting(
    'group.initial.rebalance.delay.ms',
    'groupInitialRebalanceDelayMs',
    'int',
    'How long an empty group waits for more members. (3000 in Kafka; here tests start at once.)',
  ),
  setting('group.min.session.timeout.ms', 'groupMinSessionTimeoutMs', 'int', 'The shortest session of a member.'),
  setting('group.max.session.timeout.ms', 'groupMaxSessionTimeoutMs', 'int', 'The longest session of a member.'),
  setting('group.max.size', 'groupMaxSize', 'int', 'Members of one group.'),
  setting(
    'group.max.total.bytes',
    'groupMaxTotalBytes',
    'long',
    'Ours: memory of all groups and of what their members say, about. More may not join; 16 MiB of it are for one group.',
  ),
  setting('offset.metadata.max.bytes', 'offsetMetadataMaxBytes', 'int', 'Of the text that comes with a commit.'),
  setting(
    'offsets.retention.minutes',
    'offsetsRetentionMinutes',
    'int',
    'How long a group without members keeps its offsets.',
  ),
  setting(
    'offsets.retention.check.interval.ms',
    'offsetsRetentionCheckIntervalMs',
    'long',
    'How often groups are looked through for offsets that are too old.',
  ),
  setting(
    'offsets.commit.required.acks',
    'offsetsCommitRequiredAcks',
    'string',
    'What a commit of offsets waits for: 1, written; -1 or all, on the disk.',
    ['1', '-1', 'all'],
  ),
  setting('log.cleaner.enable', 'logCleanerEnable', 'boolean', 'Whether logs of cleanup.policy compact are compacted.'),
  setting('log.cleaner.backoff.ms', 'logCleanerBackoffMs', 'long', 'How long the cleaner waits where no log needs it.'),
  setting(
    'log.cleaner.dedupe.buffer.size',
    'logCleanerDedupeBufferSize',
    'long',
    'The most memory that the keys of one cleaning take, 24 bytes each. A log with more keys takes several.',
  ),
  setting(
    'log.cleaner.io.buffer.load.factor',
    'logCleanerIoBufferLoadFactor',
    'double',
    'How full that memory gets; above 0, at most 1.',
  ),
  setting(
    'log.cleaner.io.buffer.size',
    'logCleanerIoBufferSize',
    'int',
    'So many bytes of compressed batches are opened at once, or one batch; decompressed they take some four times that.',
  ),
  setting(
    'log.cleaner.io.max.bytes.per.second',
    'logCleanerIoMaxBytesPerSecond',
    'double',
    'The most that the cleaner reads and writes.',
  ),
  setting(
    'offsets.topic.segment.bytes',
    'offsetsTopicSegmentBytes',
    'int',
    'segment.bytes of __consumer_offsets: what is younger than that is read at every start.',
  ),
  setting('fsync', 'fsync', 'string', 'Ours: what an acknowledgement waits for; acks: as each request asks.', [
    'acks',
    'always',
    'never',
  ]),
  setting(
    'partitioner',
    'partitioner',
    'string',
    "Ours: how MyKafka's PRODUCE without a partition chooses one.",
    PARTITIONERS,
  ),
  setting('zero.copy', 'zeroCopy', 'boolean', 'Ours: whether stored bytes go from the file to the socket uncopied.'),
]

/** Settings that are read together with others, or checked only. */
const OTHERS: readonly BrokerSetting[] = [
  {
    name: 'broker.id',
    type: 'int',
    default: '-1',
    low: -1,
    effect: 'now',
    doc: 'The older name of node.id; -1 leaves it to that.',
  },
  {
    name: 'listeners',
    type: 'list',
    default: 'PLAINTEXT://127.0.0.1:9092',
    effect: 'now',
    doc: 'The addresses to listen on, NAME://HOST:PORT each. No host: any address of this machine. Port 0: a free one.',
  },
  {
    name: 'advertised.listeners',
    type: 'list',
    default: null,
    effect: 'now',
    doc: 'What clients are told instead of the address that they came to, for each listener by its name.',
  },
  {
    name: 'listener.security.protocol.map',
    type: 'list',
    default: 'PLAINTEXT:PLAINTEXT',
    effect: 'now',
    doc: 'The protocol that a listener of each name speaks. Only PLAINTEXT is served.',
  },
  {
    name: 'controller.listener.names',
    type: 'list',
    default: null,
    effect: 'now',
    doc: 'Listeners for a quorum of controllers. There is none: they are not opened.',
  },
  { name: 'log.dirs', type: 'string', default: null, effect: 'now', doc: 'The data directory: one.' },
  { name: 'log.dir', type: 'string', default: './mykafka-data', effect: 'now', doc: 'log.dirs where that is not set.' },
  {
    name: 'default.replication.factor',
    type: 'int',
    default: '1',
    low: 1,
    high: 1,
    effect: 'now',
    doc: 'There is one broker: it is 1.',
  },
  {
    name: 'log.cleaner.threads',
    type: 'int',
    default: '1',
    low: 0,
    effect: 'none',
    doc: 'One log is cleaned at a time.',
  },
]

/** A setting that topics have where they do not say otherwise. */
function ofTopics(definition: TopicConfigDefinition): BrokerSetting[] {
  const last = definition.synonyms.length - 1
  return definition.synonyms.map((synonym, index) => {
    const [name, scale] = typeof synonym === 'string' ? [synonym, 1] : synonym
    // Where there are several, the last one has the default, as in Kafka.
    const unset = index === last ? scaledDown(definition.default, scale) : null
    const { type, low, high, values, effect } = definition
    const inUnits = scale === 1 ? '' : `, in units of ${scale} ms`
    return {
      name,
      type: scale === 1 ? type : 'int',
      default: unset,
      ...(low !== undefined && { low: scale === 1 ? low : Math.min(low, 1) }),
      ...(high !== undefined && { high }),
      ...(values && { values }),
      effect,
      doc: effect === 'none' ? definition.doc : `${definition.name} of topics${inUnits}.`,
    }
  })
}

function scaledDown(value: string | null, scale: number): string | null {
  return value === null || scale === 1 ? value : String(Number(value) / scale)
}

/** Every setting of brokers that means something here, by name. */
export const BROKER_SETTINGS: ReadonlyMap<string, BrokerSetting> = new Map(
  // What is a field is that, also where topics have it too.
  [...[...TOPIC_CONFIGS.values()].flatMap(ofTopics), ...OTHERS, ...FIELDS].map((each) => [each.name, each]),
)
