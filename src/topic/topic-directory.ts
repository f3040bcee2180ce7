import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pMap from 'p-map'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { newKafkaId } from './meta-properties.js'
import {
  encodePartitionMetadata,
  PARTITION_METADATA,
  type PartitionMetadata,
  readPartitionMetadata,
} from './partition-metadata.js'
import { isTopicName } from './topic-name.js'

/** The broker's own directory: `@` is in no topic name. */
export const BROKER_DIRECTORY = '@broker'
const CREATING = 'creating'
const DELETED = 'deleted'
const DIRECTORY_CONCURRENCY = 8

/** A topic as its directories show it. */
export interface FoundTopic {
  name: string
  metadata: PartitionMetadata
  /** By partition number: whether its directory is there. */
  present: boolean[]
}

/**
 * The directory tree `<data>/<topic>/<partition>`, which is the list of topics and partitions. A topic appears in
 * it, and disappears from it, by one rename.
 */
export class TopicDirectory {
  readonly #dataDirectory: string
  readonly #logger: Logger
  readonly #durable: boolean

  /** @param durable - whether names are brought to the disk before a topic counts as made */
  constructor(dataDirectory: string, logger: Logger, durable: boolean) {
    this.#dataDirectory = dataDirectory
    this.#logger = logger
    this.#durable = durable
  }

  partitionPath(topic: string, partition: number): string {
    return join(this.#dataDirectory, topic, String(partition))
  }

  /** Makes the broker's working directories, and removes what a crash left half made or half deleted. */
  async prepare(): Promise<void> {
    for (const name of [CREATING, DELETED]) {
      const directory = this.#working(name)
      await mkdir(directory, { recursive: true })
      for (const left of await readdir(directory)) await rm(join(directory, left), { recursive: true, force: true })
    }
  }

  async list(): Promise<FoundTopic[]> {
    const topics: FoundTopic[] = []
    for (const entry of await readdir(this.#dataDirectory, { withFileTypes: true })) {
      if (entry.name === BROKER_DIRECTORY) continue
      const found = entry.isDirectory() && isTopicName(entry.name) ? await this.#find(entry.name) : null
      if (found !== null) topics.push(found)
      else this.#logger.warn({ directory: join(this.#dataDirectory, entry.name) }, 'left alone: not a topic')
    }
    return topics
  }

  /** Makes a topic with empty partitions: after a crash it is there whole or not at all. */
  async create(name: string, metadata: PartitionMetadata): Promise<void> {
    const making = join(this.#working(CREATING), newKafkaId())
    await mkdir(making)
    try {
      const text = encodePartitionMetadata(metadata)
      const partitions = Array.from({ length: metadata.partitionCount }, (_, partition) =>
        join(making, String(partition)),
      )
      // To its end even where one fails: what is taken back below must not be made meanwhile.
      await pMap(partitions, (directory) => this.#createPartition(directory, text), {
        concurrency: DIRECTORY_CONCURRENCY,
        stopOnError: false,
      })
      await this.#sync(making)
      await this.#appear(making, join(this.#dataDirectory, name))
    } catch (error) {
      await rm(making, { recursive: true, force: true })
      throw error
    }
  }

  /** Takes a topic out of the tree, then removes its files. */
  async remove(name: string): Promise<void> {
    const removing = join(this.#working(DELETED), newKafkaId())
    await rename(join(this.#dataDirectory, name), removing)
    await this.#sync(this.#dataDirectory)
    await rm(removing, { recursive: true, force: true })
  }

  #working(name: string): string {
    return join(this.#dataDirectory, BROKER_DIRECTORY, name)
  }

  async #sync(directory: string): Promise<void> {
    if (this.#durable) await native.syncDirectory(directory)
  }

  /** A name that is not on the disk for sure must not stay: nobody would serve it, and its like could not be made. */
  async #appear(making: string, directory: string): Promise<void> {
    await rename(making, directory)
    try {
      await this.#sync(this.#dataDirectory)
    } catch (error) {
      await rename(directory, making)
      throw error
    }
  }

  async #createPartition(directory: string, metadata: string): Promise<void> {
    await mkdir(directory)
    const file = await open(join(directory, PARTITION_METADATA), 'wx')
    try {
      await file.writeFile(metadata)
      if (this.#durable) await file.sync()
    } finally {
      await file.close()
    }
    await this.#sync(directory)
  }

  async #find(name: string): Promise<FoundTopic | null> {
    const found = new Set<number>()
    for (const entry of await readdir(join(this.#dataDirectory, name), { withFileTypes: true })) {
      if (entry.isDirectory() && /^(0|[1-9]\d{0,3})$/.test(entry.name)) found.add(Number(entry.name))
      else this.#leaveAlone(name, entry.name)
    }
    const numbers = [...found].sort((a, b) => a - b)
    const metadata = await this.#metadataOf(name, numbers)
    if (metadata === null) return null
    // The highest may be missing, too: the others say how many there are. One above that must say that it belongs here.
    let count = metadata.partitionCount
    for (const partition of numbers.filter((number) => number >= count)) {
      const own = await this.#metadataOf(name, [partition])
      if (own?.topicId === metadata.topicId) count = partition + 1
      else this.#leaveAlone(name, String(partition))
    }
    return { name, metadata, present: Array.from({ length: count }, (_, partition) => found.has(partition)) }
  }

  #leaveAlone(topic: string, entry: string): void {
    this.#logger.warn({ directory: join(this.#dataDirectory, topic, entry) }, 'left alone: not a partition')
  }

  async #metadataOf(name: string, partitions: number[]): Promise<PartitionMetadata | null> {
    for (const partition of partitions) {
      const directory = this.partitionPath(name, partition)
      const metadata = await readPartitionMetadata(directory).catch((err: unknown) => {
        this.#logger.error({ directory, err }, 'the metadata of a partition is not readable')
        return null
      })
      if (metadata !== null) return metadata
    }
    return null
  }
}
