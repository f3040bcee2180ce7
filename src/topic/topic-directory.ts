import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pMap from 'p-map'
import { MyKafkaError } from '../errors.js'
import { DIRECTORY_MODE, FILE_MODE } from '../log/file-modes.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { newKafkaId } from './meta-properties.js'
import { encodePartitionMetadata, PARTITION_METADATA, type PartitionMetadata } from './partition-metadata.js'
import { BROKER_DIRECTORY, type FoundTopic, findTopics } from './topic-tree.js'

const CREATING = 'creating'
const DELETED = 'deleted'
const DIRECTORY_CONCURRENCY = 8

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

  /**
   * Makes the broker's working directories, and removes what a crash left half made or half deleted. Links lead out of
   * the data directory: behind one, what others have there would be removed.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR where one of them is a link
   */
  async prepare(): Promise<void> {
    await this.#requireOwn(join(this.#dataDirectory, BROKER_DIRECTORY))
    for (const name of [CREATING, DELETED]) {
      const directory = this.#working(name)
      await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE })
      await this.#requireOwn(directory)
      for (const left of await readdir(directory)) await rm(join(directory, left), { recursive: true, force: true })
    }
  }

  /** The topics that are there. What a crash left of a growth is taken back. */
  list(): Promise<FoundTopic[]> {
    return findTopics(this.#dataDirectory, this.#logger, (path) => this.#takeBack(path))
  }

  /** Makes a topic with empty partitions: after a crash it is there whole or not at all. */
  async create(name: string, metadata: PartitionMetadata): Promise<void> {
    const making = join(this.#working(CREATING), newKafkaId())
    let mayBeSeen = false
    await mkdir(making, DIRECTORY_MODE)
    try {
      const text = encodePartitionMetadata(metadata)
      const partitions = Array.from({ length: metadata.partitionCount }, (_, partition) =>
        join(making, String(partition)),
      )
      await this.#createPartitions(partitions, text)
      await this.#sync(making)
      mayBeSeen = true
      await this.#appear(making, join(this.#dataDirectory, name))
    } catch (error) {
      // Where power loss may bring its name back, it comes with all its files: the next start removes what is left here.
      if (!mayBeSeen || (await this.namesAreSynced())) await rm(making, { recursive: true, force: true })
      throw error
    }
  }

  /**
   * Adds empty partitions to a topic: all or none, also after a crash. They count as soon as the metadata of partition 0
   * says so; a start takes back what came before that.
   *
   * @param metadata - with the number of partitions as it is to be
   * @param from - the number of partitions so far
   * @param open - opens the new partitions before they count
   */
  async grow<T>(name: string, metadata: PartitionMetadata, from: number, open: () => Promise<T>): Promise<T> {
    const topic = join(this.#dataDirectory, name)
    const making = join(this.#working(CREATING), newKafkaId())
    const numbers = Array.from({ length: metadata.partitionCount - from }, (_, index) => String(from + index))
    const text = encodePartitionMetadata(metadata)
    const moved: string[] = []
    let mayCount = false
    await mkdir(making, DIRECTORY_MODE)
    try {
      await this.#createPartitions(
        numbers.map((partition) => join(making, partition)),
        text,
      )
      for (const partition of numbers) {
        await rename(join(making, partition), join(topic, partition))
        moved.push(join(topic, partition))
      }
      await this.#sync(topic)
      const opened = await open()
      mayCount = true
      await this.#replaceMetadata(join(topic, '0'), making, metadata).catch(async (error: unknown) => {
        await this.#replaceMetadata(join(topic, '0'), making, { ...metadata, partitionCount: from })
        mayCount = false
        throw error
      })
      return opened
    } catch (error) {
      // Where the metadata could not be set back, the next start finds them empty, and not missing.
      if (!mayCount) for (const directory of moved.reverse()) await rm(directory, { recursive: true, force: true })
      throw error
    } finally {
      await rm(making, { recursive: true, force: true })
    }
  }

  /**
   * Takes a topic out of the tree. Returns where its files are, for `removeFiles`. Where it fails, the topic is at its place,
   * maybe not for certain: {@link namesAreSynced} tells.
   */
  async takeOut(name: string): Promise<string> {
    const place = join(this.#dataDirectory, name)
    const removing = join(this.#working(DELETED), newKafkaId())
    await rename(place, removing)
    try {
      await this.#sync(this.#dataDirectory)
      await this.#sync(this.#working(DELETED))
    } catch (error) {
      await rename(removing, place)
      throw error
    }
    return removing
  }

  async removeFiles(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true })
  }

  async #requireOwn(directory: string): Promise<void> {
    if (!(await lstat(directory)).isSymbolicLink()) return
    const reason = `${directory} is a link: what the broker removes lies in the data directory itself`
    throw new MyKafkaError('KAFKA_STORAGE_ERROR', reason)
  }

  #working(name: string): string {
    return join(this.#dataDirectory, BROKER_DIRECTORY, name)
  }

  async #sync(directory: string): Promise<void> {
    if (this.#durable) await native.syncDirectory(directory)
  }

  /** Brings the names of topics to the disk; whether they are there. */
  async namesAreSynced(): Promise<boolean> {
    return await this.#sync(this.#dataDirectory).then(
      () => true,
      () => false,
    )
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

  async #replaceMetadata(partition: string, making: string, metadata: PartitionMetadata): Promise<void> {
    const written = join(making, newKafkaId())
    await this.#writeFile(written, encodePartitionMetadata(metadata))
    await rename(written, join(partition, PARTITION_METADATA))
    await this.#sync(partition)
  }

  async #takeBack(path: string): Promise<void> {
    const removing = join(this.#working(DELETED), newKafkaId())
    await rename(path, removing)
    await this.removeFiles(removing)
  }

  async #createPartitions(directories: readonly string[], metadata: string): Promise<void> {
    // To its end even where one fails: what is taken back then must not be made meanwhile.
    await pMap(directories, (directory) => this.#createPartition(directory, metadata), {
      concurrency: DIRECTORY_CONCURRENCY,
      stopOnError: false,
    })
  }

  async #createPartition(directory: string, metadata: string): Promise<void> {
    await mkdir(directory, DIRECTORY_MODE)
    await this.#writeFile(join(directory, PARTITION_METADATA), metadata)
    await this.#sync(directory)
  }

  async #writeFile(path: string, text: string): Promise<void> {
    const file = await open(path, 'wx', FILE_MODE)
    try {
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    if (this.#durable) await native.syncFile(path)
  }
}
