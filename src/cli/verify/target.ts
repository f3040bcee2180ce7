import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { STATE_FILES } from '../../log/state-directory.js'
import { META_PROPERTIES } from '../../topic/meta-properties.js'
import { PARTITION_METADATA } from '../../topic/partition-metadata.js'
import { isTopicName } from '../../topic/topic-name.js'
import { BROKER_DIRECTORY } from '../../topic/topic-tree.js'
import { UsageError } from '../failure.js'

/** A log to verify: a partition, or one that a program has embedded. */
export interface LogDirectory {
  readonly directory: string
  readonly topic: string | null
  readonly partition: number | null
}

/** What a directory turned out to be. */
export interface Target {
  readonly logs: readonly LogDirectory[]
  /** Where the lock and the checkpoints are; null where the logs are a copy without them. */
  readonly state: { readonly directory: string; readonly isBroker: boolean } | null
  /** Whether it is all that a broker has. */
  readonly whole: boolean
}

const PARTITION = /^(0|[1-9]\d{0,3})$/

/**
 * Finds the logs of a data directory, a topic's, a partition's or an embedded log's.
 *
 * @throws UsageError where it is none of them
 */
export async function findTarget(path: string): Promise<Target> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.message)
  })
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (directories.includes(BROKER_DIRECTORY)) {
    const logs = await Promise.all(
      directories
        .filter(isTopicName)
        .sort()
        .map(async (topic) => partitionsOf(path, topic, await directoriesIn(join(path, topic)))),
    )
    return { logs: logs.flat(), state: { directory: join(path, BROKER_DIRECTORY), isBroker: true }, whole: true }
  }
  const whole = resolve(path)
  if (directories.some((name) => PARTITION.test(name))) {
    const logs = partitionsOf(dirname(whole), basename(whole), directories)
    return {
      logs: logs.map((log) => ({ ...log, directory: join(path, String(log.partition)) })),
      state: brokerState(dirname(whole)),
      whole: false,
    }
  }
  const names = entries.map(({ name }) => name)
  const embedded = !names.includes(META_PROPERTIES) && Object.values(STATE_FILES).some((name) => names.includes(name))
  if (embedded) {
    const state = { directory: path, isBroker: false }
    return { logs: [{ directory: path, topic: null, partition: null }], state, whole: true }
  }
  if (!names.includes(PARTITION_METADATA) && !names.some((name) => /^\d{20}\.log$/.test(name))) {
    throw new UsageError(`${path} holds no log: it is neither a data directory nor one of a topic or a partition`)
  }
  const topic = basename(dirname(whole))
  const state = brokerState(dirname(dirname(whole)))
  const isPartition = names.includes(PARTITION_METADATA) || state !== null
  const partition = isPartition && PARTITION.test(basename(whole)) ? Number(basename(whole)) : null
  return { logs: [{ directory: path, topic: partition === null ? null : topic, partition }], state, whole: false }
}

/** As the broker sees them: a link is none. A topic may be deleted meanwhile. */
async function directoriesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(nothingIfGone)
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function nothingIfGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

function partitionsOf(dataDirectory: string, topic: string, names: readonly string[]): LogDirectory[] {
  const partitions = names.filter((name) => PARTITION.test(name)).map(Number)
  return partitions
    .sort((a, b) => a - b)
    .map((partition) => ({ directory: join(dataDirectory, topic, String(partition)), topic, partition }))
}

function brokerState(dataDirectory: string): Target['state'] {
  const directory = join(dataDirectory, BROKER_DIRECTORY)
  return existsSync(directory) ? { directory, isBroker: true } : null
}
