import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPartitionMetadata } from '../../topic/partition-metadata.js'
import type { VerifiedState } from './state.js'
import type { LogDirectory, Target } from './target.js'

/**
 * Partitions whose directories are not there, though the others of their topic, or the recovery points, tell of them.
 * Of a topic that is wholly gone behind a stop that was not clean there is a note: it may have been deleted.
 */
export async function missingPartitions(target: Target, state: VerifiedState | null): Promise<LogDirectory[]> {
  const { logs } = target
  const [first] = logs
  // One partition was asked for.
  if (!target.whole && logs.length === 1) return []
  const missing = new Map<string, LogDirectory>()
  const dataDirectory = state?.isBroker === true ? dirname(state.directory) : null
  const there = new Map<string, LogDirectory[]>()
  for (const log of logs) if (log.topic !== null) there.set(log.topic, [...(there.get(log.topic) ?? []), log])
  const miss = (topic: string, partition: number, directory: string): void => {
    if (there.get(topic)?.some((log) => log.partition === partition) === true) return
    missing.set(directory, { directory, topic, partition })
  }
  for (const [topic, partitions] of there) {
    const count = await partitionCount(partitions)
    const directory = dirname(partitions[0]?.directory ?? '')
    for (let partition = 0; partition < count; partition++) miss(topic, partition, join(directory, String(partition)))
  }
  // Beside a broker, topics are deleted and given partitions meanwhile.
  const isStill = ({ directory }: LogDirectory): boolean =>
    state?.live !== true || (existsSync(dirname(directory)) && !existsSync(directory))
  if (state === null || dataDirectory === null) return [...missing.values()]
  for (const { topic, partition } of state.known()) {
    if (!target.whole && topic !== first?.topic) continue
    if (there.has(topic) || state.clean) miss(topic, partition, join(dataDirectory, topic, String(partition)))
    else if (partition === 0)
      state.notes.push(`the recovery points tell of ${topic}, which is not there: deleted, or lost`)
  }
  return [...missing.values()].filter(isStill)
}

/** By the metadata of the first that is there: a growth writes that of partition 0 anew. */
async function partitionCount(partitions: readonly LogDirectory[]): Promise<number> {
  for (const { directory } of partitions) {
    const metadata = await readPartitionMetadata(directory).catch(() => null)
    if (metadata !== null) return metadata.partitionCount
  }
  return 0
}
