/** The topics of a round. Segments are small: they roll, are compacted and removed all the while. */
import type { Made } from '../format.js'

export interface Topic {
  readonly name: string
  readonly partitions: number
  readonly cleanup: Made['cleanup']
  readonly configs: Readonly<Record<string, string>>
}

const SMALL = { 'segment.bytes': '32768', 'index.interval.bytes': '512' }
const KEPT = { ...SMALL, 'retention.ms': '-1', 'retention.bytes': '-1' }
const COMPACTED = {
  ...SMALL,
  'segment.bytes': '16384',
  'cleanup.policy': 'compact',
  'min.cleanable.dirty.ratio': '0.1',
}
const MYKAFKA = { 'record.format': 'mykafka' }

export const BATCHES: Topic = { name: 'batches', partitions: 3, cleanup: 'keep', configs: KEPT }
export const RECORDS: Topic = { name: 'records', partitions: 2, cleanup: 'keep', configs: { ...KEPT, ...MYKAFKA } }
/** An administrator deletes its first records now and then. */
export const TRIMMED: Topic = { name: 'trimmed', partitions: 1, cleanup: 'keep', configs: KEPT }
export const RETAINED: Topic = {
  name: 'retained',
  partitions: 1,
  cleanup: 'delete',
  configs: { ...SMALL, 'retention.bytes': '131072' },
}
export const COMPACTED_BATCHES: Topic = { name: 'keyed', partitions: 1, cleanup: 'compact', configs: COMPACTED }
export const COMPACTED_RECORDS: Topic = {
  name: 'keyed-records',
  partitions: 1,
  cleanup: 'compact',
  configs: { ...COMPACTED, ...MYKAFKA },
}

export const TOPICS = [BATCHES, RECORDS, TRIMMED, RETAINED, COMPACTED_BATCHES, COMPACTED_RECORDS]

/** A partition, and how histories name it. */
export interface Partition {
  readonly topic: Topic
  readonly partition: number
  readonly on: string
}

export function partitionsOf(...topics: readonly Topic[]): Partition[] {
  return topics.flatMap((topic) =>
    Array.from({ length: topic.partitions }, (_, partition) => ({
      topic,
      partition,
      on: `${topic.name}/${partition}`,
    })),
  )
}

/** The settings of a broker that does in seconds what others do in minutes. */
export const PROPERTIES = [
  'auto.create.topics.enable=false',
  'log.retention.check.interval.ms=100',
  'log.cleaner.backoff.ms=20',
  'log.segment.delete.delay.ms=50',
  'log.flush.offset.checkpoint.interval.ms=100',
  'offsets.topic.segment.bytes=16384',
  'group.min.session.timeout.ms=100',
]
