/** Who takes part in a round: topics, and those who write to them, commit, change and delete. */
import type { RecordFormat } from '../../../src/log/record-format.js'
import { makeTopicWith } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { type Random, seededRandom } from '../../support/seeded-random.js'
import { Committer } from './commits.js'
import { RecordDeleter } from './deletions.js'
import { KeyedLedger, KeyedWriter } from './keyed.js'
import { PartitionLedger } from './partition-ledger.js'
import type { RoundPlan } from './plan.js'
import type { Acks } from './promise.js'
import { TopicChanger } from './topics.js'
import { type Wire, Writer, type WritingContext } from './writer.js'

const RETENTION_BYTES = 65_536

interface StandingTopic {
  readonly name: string
  readonly format: RecordFormat
  readonly partitions: readonly PartitionLedger[]
  readonly configs: Readonly<Record<string, string>>
  /** By retention and DeleteRecords: of all others the log start stays 0. */
  readonly losesRecords: boolean
}

export interface Cast {
  readonly topics: readonly StandingTopic[]
  readonly writers: readonly Writer[]
  readonly committers: readonly Committer[]
  readonly deleters: readonly RecordDeleter[]
  readonly changers: readonly TopicChanger[]
}

const COMPACTED = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0', 'segment.bytes': '8192' }
const RETAINED = { 'retention.bytes': String(RETENTION_BYTES), 'segment.bytes': '8192' }

export function castRound({ mood }: RoundPlan, context: WritingContext, random: Random): Cast {
  const fork = (): Random => seededRandom(random.integer(1, 2 ** 31 - 1))
  const plain = ['mykafka', 'kafka'] as const
  const [records, batches] = plain.map((format) => standingTopic(format, format, 2)) as [StandingTopic, StandingTopic]
  const retained = standingTopic('retained', random.pick(plain), 1, RETAINED)
  const keyed = plain.map((format) => standingTopic(`keyed-${format}`, format, 1, COMPACTED))
  const [keyedRecords, keyedBatches] = keyed as [StandingTopic, StandingTopic]
  const topics = [records, batches, retained, ...keyed]

  const writers: Writer[] = []
  const hire = (wire: Wire, acks: Acks, { partitions }: StandingTopic, idempotent = false): void => {
    const isKeyed = partitions[0] instanceof KeyedLedger
    const inFlight = idempotent ? 5 : random.pick([1, 8])
    const options = { number: writers.length, wire, acks, idempotent, partitions, inFlight }
    writers.push(isKeyed ? new KeyedWriter(options, context, fork()) : new Writer(options, context, fork()))
  }
  const acks = (): Acks => random.pick([1, 'all'])
  const either = (): StandingTopic => random.pick([records, batches])
  if (mood === 'busy') {
    hire('MyKafka', 1, records)
    hire('MyKafka', 1, either())
    hire('Kafka', 'all', batches)
    hire('Kafka', acks(), either())
    hire('Kafka', 'all', batches, true)
    hire('Kafka', acks(), batches, true)
    hire(random.pick(['MyKafka', 'Kafka']), 1, retained)
    hire('Kafka', 'all', retained)
    hire('MyKafka', 1, keyedRecords)
    hire('Kafka', 'all', keyedRecords)
    hire('Kafka', acks(), keyedBatches, true)
  } else if (mood === 'quiet') {
    hire('Kafka', 'all', either(), false)
    hire(random.pick(['MyKafka', 'Kafka']), 1, either())
  }
  const committed = [...records.partitions, ...batches.partitions]
  const committers = committed.map((partition, index) => {
    const wire = random.pick(['MyKafka', 'Kafka'] as const)
    return new Committer(`group-${index % 3}`, wire, partition, fork())
  })
  return {
    topics,
    writers,
    committers: mood === 'quiet' ? committers.slice(0, random.integer(0, 1)) : committers,
    deleters:
      mood === 'busy' ? [new RecordDeleter(retained.partitions[0] as PartitionLedger, RETENTION_BYTES, fork())] : [],
    changers: mood === 'quiet' ? [] : [new TopicChanger(['a', 'b'], fork()), new TopicChanger(['c', 'd'], fork())],
  }
}

function standingTopic(
  name: string,
  format: RecordFormat,
  count: number,
  configs: Readonly<Record<string, string>> = {},
): StandingTopic {
  const Ledger = configs === COMPACTED ? KeyedLedger : PartitionLedger
  const partitions = Array.from({ length: count }, (_, partition) => new Ledger(name, partition, format))
  const losesRecords = configs === RETAINED
  return { name, format, partitions, configs: { ...configs, 'record.format': format }, losesRecords }
}

/** Makes those of the standing topics that are not there. */
export async function makeStandingTopics(port: number, { topics }: Cast, there: ReadonlySet<string>): Promise<void> {
  const peer = await KafkaPeer.connect(port)
  for (const { name, partitions, configs } of topics) {
    if (!there.has(name)) await makeTopicWith(peer, name, configs, partitions.length)
  }
  peer.peer.socket.destroy()
}
