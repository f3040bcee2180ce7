/** The topics of a soak: small segments, so that rolls, retention and compaction never rest. */
import type { KafkaConnection } from '../../../src/client/kafka-connection.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { check } from '../history/clients/kafka-calls.js'

const KIBIBYTE = 1 << 10
/** So many KiB, which the load writes in a minute or two: what a log has is then what it keeps. */
const rolling = (size: number) => ({
  'segment.bytes': String((size * KIBIBYTE) / 4),
  'retention.bytes': String(size * KIBIBYTE),
})
const COMPACTED = {
  'segment.bytes': String(256 * KIBIBYTE),
  'cleanup.policy': 'compact',
  'min.cleanable.dirty.ratio': '0.3',
}

export const TOPICS = {
  batches: { partitions: 3, configs: rolling(2048) },
  // For kafkajs, which brings no other codec than gzip.
  zipped: { partitions: 6, configs: rolling(256) },
  records: { partitions: 3, configs: { ...rolling(2048), 'record.format': 'mykafka' } },
  keyed: { partitions: 2, configs: COMPACTED },
  'keyed-records': { partitions: 1, configs: { ...COMPACTED, 'record.format': 'mykafka' } },
  probe: { partitions: 1, configs: { ...rolling(64), 'record.format': 'mykafka' } },
} as const satisfies Record<string, { partitions: number; configs: Readonly<Record<string, string>> }>

/** The settings of its broker. */
export const PROPERTIES = [
  'auto.create.topics.enable=false',
  'log.retention.check.interval.ms=1000',
  'log.cleaner.backoff.ms=1000',
  'log.segment.delete.delay.ms=1000',
  'offsets.topic.segment.bytes=262144',
  'group.min.session.timeout.ms=1000',
]

export async function makeTopic(
  kafka: KafkaConnection,
  name: string,
  numPartitions: number,
  configs: Readonly<Record<string, string>>,
): Promise<void> {
  const entries = Object.entries(configs).map(([config, value]) => ({ name: config, value }))
  const topics = [{ name, numPartitions, replicationFactor: 1, assignments: [], configs: entries }]
  const answer = await kafka.call(createTopicsApi, 5, { topics, timeoutMs: 5000, validateOnly: false })
  check(answer.topics[0]?.errorCode, `CreateTopics of ${name}`)
}
