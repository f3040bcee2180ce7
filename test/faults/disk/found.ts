/** What an engine has, read through. */

import type { Log } from '../../../src/log/log.js'
import { isInternalTopic } from '../../../src/topic/topic.js'
import { readThrough, type SeenRecord } from '../../support/log-life/view.js'
import type { Engine } from './engine.js'
import { History, type SentRecord, TopicHistory } from './history.js'
import type { EngineSettings } from './marks.js'

/** What an embedded log is called. */
export const LOG = 'log'

export interface FoundLog {
  readonly start: number
  readonly end: number
  readonly records: readonly SeenRecord[]
}

export interface FoundTopic {
  readonly name: string
  readonly id: string
  readonly format: 'mykafka' | 'kafka'
  readonly config: Readonly<Record<string, string>>
  /** Null: offline. */
  readonly logs: readonly (FoundLog | null)[]
}

export interface FoundCommit {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export interface Found {
  readonly clusterId: string
  readonly topics: readonly FoundTopic[]
  readonly commits: readonly FoundCommit[]
}

const READ_BYTES = 1 << 20

export async function readFound({ logs, groups }: Engine): Promise<Found> {
  const topics: FoundTopic[] = []
  for (const { name, id, recordFormat: format, config, partitions } of logs.topics()) {
    if (isInternalTopic(name)) continue
    const found: (FoundLog | null)[] = []
    for (const log of partitions) {
      if (log === null) {
        found.push(null)
        continue
      }
      const { records } = await readThrough(log, log.logStartOffset, () => READ_BYTES)
      found.push({ start: log.logStartOffset, end: log.logEndOffset, records })
    }
    topics.push({ name, id, format, config, logs: found })
  }
  const commits = groups.offsets.groups().flatMap((group) =>
    groups.offsets.ofGroup(group).map(({ key, offset }) => {
      return { group, topic: key.topic, partition: key.partition, offset }
    }),
  )
  return { clusterId: logs.identity.clusterId, topics, commits }
}

/** An embedded log as a topic of one partition. */
export async function readFoundLog(log: Log, settings: EngineSettings): Promise<Found> {
  const { logStartOffset: start, logEndOffset: end } = log.stats()
  const records: SeenRecord[] = []
  for await (const { offset, timestamp, key, value } of log.iterate({ from: start, follow: false })) {
    records.push({ offset, timestamp, key: String(key), value: value?.toString() ?? null, header: null })
  }
  const topic = {
    name: LOG,
    id: LOG,
    format: 'mykafka',
    config: configOfLog(settings),
    logs: [{ start, end, records }],
  } as const
  return { clusterId: LOG, topics: [topic], commits: [] }
}

export function configOfLog({ retentionBytes }: EngineSettings): Record<string, string> {
  return { 'cleanup.policy': retentionBytes < 0 ? 'compact' : 'delete', 'delete.retention.ms': '0' }
}

/** An embedded log is there from the start on. */
export function historyOfLog(settings: EngineSettings): History {
  const log = { start: 0, end: 0, records: [] }
  const topic = { name: LOG, id: LOG, format: 'mykafka', config: configOfLog(settings), logs: [log] } as const
  return historyFrom({ clusterId: LOG, topics: [topic], commits: [] }, () => true)
}

/**
 * What a life that goes on from there begins with.
 *
 * @param isPromised - whether a record was acknowledged as on the disk before
 */
export function historyFrom(
  found: Found,
  isPromised: (topic: string, partition: number, offset: number) => boolean,
): History {
  const history = new History()
  history.clusterId = { id: found.clusterId, at: -1 }
  // Records may be missing from the start on.
  history.compactions.push({ askedAt: -1, doneAt: -1 })
  for (const { name, id, format, config, logs } of found.topics) {
    const topic = new TopicHistory({ do: 'create', topic: name, format, partitions: logs.length, config }, -1)
    topic.id = id
    for (const step of [topic.created, ...topic.counts, ...topic.configs]) step.doneAt = -1
    for (const [number, log] of logs.entries()) {
      const partition = topic.partition(number)
      if (log === null) continue
      partition.starts.push({ askedAt: -1, doneAt: -1, value: log.start, isPromised: true })
      for (const { key, value, offset } of log.records) {
        const record: SentRecord = { key, value, offset, acks: 'all', askedAt: -1, doneAt: -1, cut: null }
        partition.tell(record)
        if (!isPromised(name, number, offset)) history.settling.push(record)
      }
    }
    history.topics.push(topic)
  }
  for (const { group, topic, partition, offset } of found.commits) {
    const commits = history.latest(topic)?.partition(partition).commitsOf(group)
    commits?.push({ askedAt: -1, doneAt: Number.POSITIVE_INFINITY, value: offset })
  }
  return history
}
