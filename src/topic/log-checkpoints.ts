import type { Checkpoint } from '../log/checkpoint.js'
import type { PartitionLog } from '../log/partition-log.js'
import { STATE_FILES, type StateDirectory } from '../log/state-directory.js'
import type { TopicRegistry } from './topic-registry.js'

/** What the segments of a partition cannot say. */
export interface PartitionCheckpoint {
  recoveryPoint: number
  logStartOffset: number
  firstDirtyOffset: number
}

/** A file with an offset of each partition. */
class CheckpointFile {
  readonly #state: StateDirectory
  readonly #name: string
  readonly #topics: TopicRegistry
  /** Undefined: the file says nothing of the log. */
  readonly #offsetOf: (log: PartitionLog) => number | undefined
  /** As it was at the start: what is offline, or not open yet, keeps what was known of it. */
  readonly #found: Checkpoint
  /** Topics that are there and not open yet. */
  #unopened: ReadonlySet<string> = new Set()
  /** The topics that the file names, or may name. */
  #named: ReadonlySet<string>
  #next: Promise<void> | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(
    state: StateDirectory,
    name: string,
    topics: TopicRegistry,
    found: Checkpoint,
    offsetOf: (log: PartitionLog) => number | undefined,
  ) {
    this.#state = state
    this.#name = name
    this.#topics = topics
    this.#offsetOf = offsetOf
    this.#found = found
    this.#named = new Set([...found.keys()].map(topicOf))
  }

  unopened(topics: ReadonlySet<string>): void {
    this.#unopened = topics
  }

  found(topic: string, partition: number): number {
    return this.#found.get(`${topic} ${partition}`) ?? 0
  }

  names(topic: string): boolean {
    return this.#named.has(topic)
  }

  /** Whether it said more of a log, at the start, than is true. */
  get isAhead(): boolean {
    return this.#topics
      .all()
      .some(({ name, partitions }) =>
        partitions.some((log, partition) => log && (this.#offsetOf(log) ?? 0) < this.found(name, partition)),
      )
  }

  /** All that ask while it is being written share the writing behind it. */
  async write(): Promise<void> {
    // One that failed has told those who asked for it; the next is another.
    const before = this.#writing.catch(() => {})
    this.#next ??= before.then(() => {
      this.#next = null
      this.#writing = this.#writeNow()
      return this.#writing
    })
    return this.#next
  }

  async #writeNow(): Promise<void> {
    const isUnopened = (topic: string): boolean => this.#unopened.has(topic) && this.#topics.get(topic) === undefined
    const offsets = new Map([...this.#found].filter(([key]) => isUnopened(topicOf(key))))
    for (const { name, partitions } of this.#topics.all()) {
      for (const [partition, log] of partitions.entries()) {
        const key = `${name} ${partition}`
        const offset = log ? this.#offsetOf(log) : this.#found.get(key)
        if (offset !== undefined) offsets.set(key, offset)
      }
    }
    const named = new Set([...offsets.keys()].map(topicOf))
    // Until it is there, the file may name what it did or what it will: a topic may go meanwhile, and come again.
    this.#named = new Set([...this.#named, ...named])
    await this.#state.writeCheckpoint(this.#name, offsets)
    this.#named = named
  }
}

function topicOf(key: string): string {
  return key.slice(0, key.lastIndexOf(' '))
}

/** The checkpoint files of a broker: where each log was synced up to, where it begins, how far it was compacted. */
export class LogCheckpoints {
  readonly #recoveryPoints: CheckpointFile
  readonly #logStartOffsets: CheckpointFile
  readonly #cleanerOffsets: CheckpointFile

  static async read(state: StateDirectory, topics: TopicRegistry): Promise<LogCheckpoints> {
    const read = async (name: string, offsetOf: (log: PartitionLog) => number | undefined): Promise<CheckpointFile> =>
      new CheckpointFile(state, name, topics, await state.readCheckpoint(name), offsetOf)
    return new LogCheckpoints(
      await read(STATE_FILES.recoveryPoints, (log) => log.recoveryPoint),
      await read(STATE_FILES.logStartOffsets, (log) => log.logStartOffset),
      // A log that never was compacted is not named.
      await read(STATE_FILES.cleanerOffsets, ({ compaction }) => compaction.cleanedTo || undefined),
    )
  }

  private constructor(recoveryPoints: CheckpointFile, logStartOffsets: CheckpointFile, cleanerOffsets: CheckpointFile) {
    this.#recoveryPoints = recoveryPoints
    this.#logStartOffsets = logStartOffsets
    this.#cleanerOffsets = cleanerOffsets
  }

  /** What was known of a partition at the start. */
  found(topic: string, partition: number): PartitionCheckpoint {
    return {
      recoveryPoint: this.#recoveryPoints.found(topic, partition),
      logStartOffset: this.#logStartOffsets.found(topic, partition),
      firstDirtyOffset: this.#cleanerOffsets.found(topic, partition),
    }
  }

  /** These topics are there and not open yet: what the files say of them stays as it is. Nothing else that is not open. */
  unopened(topics: Iterable<string>): void {
    const names = new Set(topics)
    for (const file of this.#all()) file.unopened(names)
  }

  /** Writes the recovery points. */
  write(): Promise<void> {
    return this.#recoveryPoints.write()
  }

  /**
   * Where a log ends below where it was to begin, or where it was compacted, the file does not say so any more: what is
   * appended from now on must count neither as deleted nor as compacted at the next start.
   */
  async correct(): Promise<void> {
    for (const file of [this.#logStartOffsets, this.#cleanerOffsets]) if (file.isAhead) await file.write()
  }

  /** Writes where logs begin. */
  writeLogStartOffsets(): Promise<void> {
    return this.#logStartOffsets.write()
  }

  /** Writes how far logs have been compacted. */
  writeCleanerOffsets(): Promise<void> {
    return this.#cleanerOffsets.write()
  }

  /**
   * Brings it to the disk that nothing is known of a topic that is not there: one that is made under the name must not
   * be taken for it behind a crash.
   */
  async forget(topic: string): Promise<void> {
    for (const file of this.#all()) if (file.names(topic)) await file.write()
  }

  #all(): CheckpointFile[] {
    return [this.#recoveryPoints, this.#logStartOffsets, this.#cleanerOffsets]
  }
}
