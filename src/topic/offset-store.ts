import { MyKafkaError } from '../errors.js'
import type { Acks, PartitionLog } from '../log/partition-log.js'
import { encodePacked, type LogRecord, type RecordInput } from '../log/record-codec.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { type GroupOffset, GroupOffsets } from './group-offsets.js'
import { decodeGroupKey, decodeOffsetKey, encodeGroupKey, encodeOffsetKey, type OffsetKey } from './offset-key.js'
import { type CommittedOffset, decodeOffsetValue, encodeOffsetValue } from './offset-value.js'
import { replay } from './replay.js'
import { unknownTopic } from './topic.js'

/** Kafka's group names are int16-sized strings on the wire. */
const MAX_GROUP_BYTES = 32767

export interface OffsetStoreOptions {
  logger: Logger
  /** `offsets.commit.required.acks`: what a commit waits for. */
  commitAcks: Acks
  /** Whether there is such a topic now. */
  hasTopic: (topic: string) => boolean
  /**
   * The end of a partition's log behind an unclean stop, or undefined where the partition is not there: a commit
   * above it is set to it, since it would skip what is produced next.
   */
  logEndAfterCrash?: (topic: string, partition: number) => number | undefined
  /** Hears that this could not be written: the next start has to do it again, however this process ends. */
  onNotLowered?: () => void
  /** Hears of the records that say what a group is, in order; null: the group was deleted. */
  onGroup?: (group: string, value: Buffer | null) => void
}

/** An offset to be committed. */
export interface OffsetCommit extends Omit<CommittedOffset, 'timestamp'> {
  readonly topic: string
  readonly partition: number
}

/**
 * The offsets that groups committed: a log of their own, `__consumer_offsets`, and a cache that is rebuilt from it
 * at start.
 *
 * Those of a topic that is not there are kept but not shown: its directory may come back. Where a topic is made anew
 * under the name, `removeTopic` comes first.
 */
export class OffsetStore {
  readonly #log: PartitionLog
  readonly #options: OffsetStoreOptions
  readonly #offsets = new GroupOffsets()
  /** Commits that were answered with an error: the log may have them all the same, and show them at the next start. */
  readonly #refused = new GroupOffsets()
  readonly #appending = new Set<Promise<unknown>>()
  #commits = 0

  private constructor(log: PartitionLog, options: OffsetStoreOptions) {
    this.#log = log
    this.#options = options
  }

  /** Reads all commits and logs `loaded N commits (M unique keys)`. */
  static async load(log: PartitionLog, options: OffsetStoreOptions): Promise<OffsetStore> {
    const store = new OffsetStore(log, options)
    await replay(log, options.logger, (record) => store.#replayRecord(record))
    const keys = store.#offsets.count()
    options.logger.info({ commits: store.#commits, keys }, `loaded ${store.#commits} commits (${keys} unique keys)`)
    if (options.logEndAfterCrash) {
      await store.#lowerTo(options.logEndAfterCrash).catch((err: unknown) => {
        options.onNotLowered?.()
        options.logger.error({ err }, 'the commits that were set to the ends of their logs could not be written')
      })
    }
    return store
  }

  /**
   * Commits offsets of a group, all in one append.
   *
   * @throws MyKafkaError INVALID_GROUP_ID for an empty name or one above 32767 bytes, UNKNOWN_TOPIC_OR_PARTITION,
   *   KAFKA_STORAGE_ERROR; nothing is committed then
   */
  async commit(group: string, commits: readonly OffsetCommit[]): Promise<void> {
    checkGroupName(group)
    const timestamp = Date.now()
    const records = commits.map((commit) => {
      const { topic, partition } = commit
      if (!this.#options.hasTopic(topic)) throw unknownTopic(topic)
      return { key: encodeOffsetKey({ group, topic, partition }), value: encodeOffsetValue(commit) }
    })
    if (records.length === 0) return
    const each = (offsets: GroupOffsets): void => {
      for (const commit of commits) {
        const { topic, partition } = commit
        offsets.set({ group, topic, partition }, { ...commit, timestamp })
      }
    }
    const end = this.#log.logEndOffset
    try {
      await this.#append(records, { timestamp })
    } catch (error) {
      // Where nothing was written there is nothing to remember, however many more are refused.
      if (this.#log.logEndOffset > end) each(this.#refused)
      throw error
    }
    each(this.#offsets)
  }

  /** What the group committed for the partition, or null. */
  committed(group: string, topic: string, partition: number): CommittedOffset | null {
    const found = this.#offsets.get(group, topic, partition)
    return found !== undefined && this.#options.hasTopic(topic) ? found : null
  }

  /** All that the group committed for topics that are there. */
  ofGroup(group: string): GroupOffset[] {
    return this.#offsets.ofGroup(group).filter(({ key }) => this.#options.hasTopic(key.topic))
  }

  /** Everything of the group that the log holds, for topics that are gone too. */
  storedOfGroup(group: string): GroupOffset[] {
    return this.#offsets.ofGroup(group)
  }

  /** Groups that have offsets. */
  groups(): string[] {
    return this.#offsets.groups()
  }

  /** Deletes offsets; `more` is written in the same append. */
  async remove(keys: readonly OffsetKey[], more: readonly RecordInput[] = []): Promise<void> {
    if (keys.length + more.length === 0) return
    await this.#append([...keys.map(tombstone), ...more])
    for (const key of keys) this.#offsets.delete(key)
  }

  /** Writes what a group is; null: it is no more. */
  async writeGroup(group: string, value: Buffer | null): Promise<void> {
    await this.#append([groupRecord(group, value)])
  }

  /**
   * Forgets what was committed for a topic that is no longer there: behind its deletion, and once more before one is
   * made anew under the name, since a crash may have come in between. A topic that is there keeps its offsets.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR where it cannot be written
   */
  async removeTopic(topic: string): Promise<void> {
    // Commits under way were made while it was there.
    await Promise.allSettled(this.#appending)
    if (this.#options.hasTopic(topic)) return
    const keys = [this.#offsets, this.#refused].flatMap((offsets) => offsets.ofTopic(topic)).map(({ key }) => key)
    if (keys.length === 0) return
    // To the disk: the directory of a new topic goes there too.
    await this.#append(keys.map(tombstone), { acks: 'all' })
    for (const key of keys) for (const offsets of [this.#offsets, this.#refused]) offsets.delete(key)
  }

  async #append(inputs: readonly RecordInput[], options: { timestamp?: number; acks?: Acks } = {}): Promise<void> {
    const { timestamp = Date.now(), acks = this.#options.commitAcks } = options
    const records = encodePacked(inputs)
    const count = inputs.length
    const batch = { records, count, timestamp, storedLength: native.checkPacked(records, count) }
    const appended = this.#log.append([batch], acks)
    this.#appending.add(appended)
    try {
      await appended
    } finally {
      this.#appending.delete(appended)
    }
  }

  #replayRecord(record: LogRecord): void {
    const { key, value } = record
    if (key === null) return
    const place = decodeOffsetKey(key)
    if (place !== null) {
      this.#replayOffset(place, record)
      return
    }
    const group = decodeGroupKey(key)
    if (group !== null) this.#options.onGroup?.(group, value)
  }

  #replayOffset(key: OffsetKey, { value, timestamp, offset }: LogRecord): void {
    if (value === null) {
      this.#offsets.delete(key)
      return
    }
    const committed = decodeOffsetValue(value, timestamp)
    if (committed === null) {
      this.#options.logger.error({ offset, ...key }, 'a commit that cannot be read is passed over')
      return
    }
    this.#commits++
    this.#offsets.set(key, committed)
  }

  /**
   * Sets the commits of a partition that are above the end of its log to that: behind an unclean stop, where the log was
   * opened later than the others.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR where it cannot be written
   */
  async lower(topic: string, partition: number, logEndOffset: number): Promise<void> {
    await this.#lowerTo((name, number) => (name === topic && number === partition ? logEndOffset : undefined))
  }

  async #lowerTo(logEnd: (topic: string, partition: number) => number | undefined): Promise<void> {
    const { logger } = this.#options
    const lowered: RecordInput[] = []
    for (const { key, ...committed } of this.#offsets.all()) {
      const end = logEnd(key.topic, key.partition)
      if (end === undefined || committed.offset <= end) continue
      logger.warn(
        { ...key, committed: committed.offset, logEndOffset: end },
        'a commit was above the end of its log behind an unclean stop: it is set to the end',
      )
      const offset = { ...committed, offset: end }
      // In memory in any case.
      this.#offsets.set(key, offset)
      lowered.push({ key: encodeOffsetKey(key), value: encodeOffsetValue(offset) })
    }
    if (lowered.length === 0) return
    // To the disk: what is produced next goes there too, and the former commit would skip it behind a power loss.
    await this.#append(lowered, { acks: 'all' })
  }
}

/** A record that says what a group is. */
export function groupRecord(group: string, value: Buffer | null): RecordInput {
  return { key: encodeGroupKey(group), value }
}

function tombstone(key: OffsetKey): RecordInput {
  return { key: encodeOffsetKey(key), value: null }
}

function checkGroupName(group: string): void {
  const length = Buffer.byteLength(group)
  if (length > 0 && length <= MAX_GROUP_BYTES) return
  throw new MyKafkaError('INVALID_GROUP_ID', `a group's name has 1 to ${MAX_GROUP_BYTES} bytes, not ${length}`)
}
