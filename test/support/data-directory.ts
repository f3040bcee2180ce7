import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readStoredLog, type StoredEntry } from './stored-format.js'

/** The files of a partition with this ending, in the order of their offsets. */
export async function partitionFiles(
  dataDir: string,
  topic: string,
  partition: number,
  ending: '.log' | '.index' | '.timeindex',
): Promise<string[]> {
  const directory = join(dataDir, topic, String(partition))
  const names = (await readdir(directory)).filter((name) => /^\d{20}\.[a-z]+$/.test(name) && name.endsWith(ending))
  return names.sort().map((name) => join(directory, name))
}

/** The bytes of a partition's log, its segments joined. */
export async function partitionBytes(dataDir: string, topic: string, partition: number): Promise<Buffer> {
  const files = await partitionFiles(dataDir, topic, partition, '.log')
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))))
}

/** The records of a partition, read from its files with nothing of ours. */
export async function partitionRecords(
  dataDir: string,
  topic: string,
  partition: number,
): Promise<(Omit<StoredEntry, 'offset'> & { offset: number })[]> {
  const files = await partitionFiles(dataDir, topic, partition, '.log')
  return files.flatMap((file) => readStoredLog(file).map((entry) => ({ ...entry, offset: Number(entry.offset) })))
}

/** The topics that the directory tree shows, internal ones too, with the numbers of their partitions. */
export async function topicTree(dataDir: string): Promise<Map<string, number[]>> {
  const topics = new Map<string, number[]>()
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('@')) continue
    const partitions = (await readdir(join(dataDir, name))).map(Number).sort((a, b) => a - b)
    topics.set(name, partitions)
  }
  return topics
}
