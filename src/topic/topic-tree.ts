import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../logger.js'
import { type PartitionMetadata, readPartitionMetadata } from './partition-metadata.js'
import { isTopicName } from './topic-name.js'

/** The broker's own directory: `@` is in no topic name. */
export const BROKER_DIRECTORY = '@broker'

/** A topic as its directories show it. */
export interface FoundTopic {
  name: string
  metadata: PartitionMetadata
  /** By partition number: whether its directory is there. */
  present: boolean[]
}

/**
 * Reads the tree `<data>/<topic>/<partition>`. What is not understood is left alone and reported.
 *
 * @param takeBack - removes a partition that a growth had made when it was interrupted
 */
export async function findTopics(
  dataDirectory: string,
  logger: Logger,
  takeBack: (directory: string) => Promise<void>,
): Promise<FoundTopic[]> {
  const topics: FoundTopic[] = []
  for (const entry of await readdir(dataDirectory, { withFileTypes: true })) {
    if (entry.name === BROKER_DIRECTORY) continue
    const directory = join(dataDirectory, entry.name)
    const found =
      entry.isDirectory() && isTopicName(entry.name)
        ? await new TopicSearch(entry.name, directory, logger, takeBack).run()
        : null
    if (found !== null) topics.push(found)
    else logger.warn({ directory }, 'left alone: not a topic')
  }
  return topics
}

class TopicSearch {
  readonly #name: string
  readonly #directory: string
  readonly #logger: Logger
  readonly #takeBack: (directory: string) => Promise<void>

  constructor(name: string, directory: string, logger: Logger, takeBack: (directory: string) => Promise<void>) {
    this.#name = name
    this.#directory = directory
    this.#logger = logger
    this.#takeBack = takeBack
  }

  async run(): Promise<FoundTopic | null> {
    const numbers: number[] = []
    for (const entry of await readdir(this.#directory, { withFileTypes: true })) {
      if (entry.isDirectory() && /^(0|[1-9]\d{0,3})$/.test(entry.name)) numbers.push(Number(entry.name))
      else this.#leaveAlone(entry.name)
    }
    numbers.sort((a, b) => a - b)
    // Partition 0 says how many there are. Where it is missing, the others say how many there were at least.
    const first = await this.#metadataOf(numbers[0])
    const authority = numbers[0] === 0 && first !== null
    const all = authority ? [first] : await this.#allMetadata(numbers)
    const [metadata] = all
    if (metadata === undefined) return null
    let count = Math.max(...all.map(({ partitionCount }) => partitionCount))
    const found = new Set(numbers.filter((number) => number < count))
    for (const partition of numbers.filter((number) => number >= count)) {
      const own = await this.#metadataOf(partition)
      if (own?.topicId !== metadata.topicId) this.#leaveAlone(String(partition))
      else if (authority && (await this.#isEmpty(partition))) await this.#removeUnfinished(partition)
      else {
        found.add(partition)
        count = partition + 1
      }
    }
    const present = Array.from({ length: count }, (_, partition) => found.has(partition))
    return { name: this.#name, metadata: { ...metadata, partitionCount: count }, present }
  }

  #path(partition: number | string): string {
    return join(this.#directory, String(partition))
  }

  async #allMetadata(partitions: readonly number[]): Promise<PartitionMetadata[]> {
    const all: PartitionMetadata[] = []
    for (const partition of partitions) {
      const metadata = await this.#metadataOf(partition)
      if (metadata !== null && (all[0] === undefined || all[0].topicId === metadata.topicId)) all.push(metadata)
    }
    return all
  }

  async #metadataOf(partition: number | undefined): Promise<PartitionMetadata | null> {
    if (partition === undefined) return null
    const directory = this.#path(partition)
    return await readPartitionMetadata(directory).catch((err: unknown) => {
      this.#logger.error({ directory, err }, 'the metadata of a partition is not readable')
      return null
    })
  }

  async #isEmpty(partition: number): Promise<boolean> {
    for (const name of await readdir(this.#path(partition))) {
      if (name.includes('.log') && (await stat(join(this.#path(partition), name))).size > 0) return false
    }
    return true
  }

  async #removeUnfinished(partition: number): Promise<void> {
    const directory = this.#path(partition)
    this.#logger.info({ directory }, 'a partition of a growth that was not finished is taken back')
    await this.#takeBack(directory)
  }

  #leaveAlone(entry: string): void {
    this.#logger.warn({ directory: this.#path(entry) }, 'left alone: not a partition')
  }
}
