import { MyKafkaError } from '../errors.js'
import type { Acks, PartitionLog } from '../log/partition-log.js'
import { encodePacked, type LogRecord } from '../log/record-codec.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { decodeOffsetKey, decodeOffsetValue, encodeOffsetKey, encodeOffsetValue, type OffsetKey } from './offset-key.js'
import { replay } from './replay.js'

/** Kafka's group names are int16-sized strings on the wire. */
const MAX_GROUP_BYTES = 32767

export interface OffsetStoreOptions {
  logger: Logger
  /** `offsets.commit.required.acks`: what a commit waits for. */
  commitAcks: Acks
  /**
   * The end of a partition's log behind an unclean stop, or undefined where the partition is not there: a commit
   * above it is set to it, since it would skip what is produced next.
   */
  logEndAfterCrash?: (topic: string, partition: number) => number | undefined
}

/**
 * The offsets that groups committed: a log of their own, `__consumer_offsets`, and a cache that is rebuilt from it
 * at start.
 */
export class OffsetStore {
  readonly #log: PartitionLog
  readonly #options: OffsetStoreOptions
  /** By group, then by topic and partition. */
  readonly #offsets = new Map<string, Map<string, { key: OffsetKey; offset: number }>>()
  #commits = 0

  private constructor(log: PartitionLog, options: OffsetStoreOptions) {
    this.#log = log
    this.#options = options
  }

  /** Reads all commits and logs `loaded N commits (M unique keys)`. */
  static async load(log: PartitionLog, options: OffsetStoreOptions): Promise<OffsetStore> {
    const store = new OffsetStore(log, options)
    await replay(log, options.logger, (record) => store.#replayRecord(record))
    const keys = store.#uniqueKeys()
    options.logger.info({ commits: store.#commits, keys }, `loaded ${store.#commits} commits (${keys} unique keys)`)
    if (options.logEndAfterCrash) await store.#lowerTo(options.logEndAfterCrash)
    return store
  }

  /**
   * Commits the offset of the next record that the group is to read.
   *
   * @throws MyKafkaError INVALID_GROUP_ID for an empty name or one above 32767 bytes, OFFSET_OUT_OF_RANGE for an
   *   offset that is not a safe integer from 0 on, KAFKA_STORAGE_ERROR
   */
  async commit(group: string, topic: string, partition: number, offset: number): Promise<void> {
    checkGroupName(group)
    if (!Number.isSafeInteger(offset) || offset < 0) {
      throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `an offset from 0 on can be committed, not ${offset}`)
    }
    await this.#append({ group, topic, partition }, offset)
  }

  /** What the group committed for the partition, or null. */
  committed(group: string, topic: string, partition: number): number | null {
    return this.#offsets.get(group)?.get(`${topic} ${partition}`)?.offset ?? null
  }

  async #append(key: OffsetKey, offset: number): Promise<void> {
    const records = encodePacked([{ key: encodeOffsetKey(key), value: encodeOffsetValue(offset) }])
    const batch = { records, count: 1, timestamp: Date.now(), storedLength: native.checkPacked(records, 1) }
    await this.#log.append([batch], this.#options.commitAcks)
    this.#set(key, offset)
  }

  #set(key: OffsetKey, offset: number): void {
    let group = this.#offsets.get(key.group)
    if (group === undefined) {
      group = new Map()
      this.#offsets.set(key.group, group)
    }
    group.set(`${key.topic} ${key.partition}`, { key, offset })
  }

  #delete(key: OffsetKey): void {
    const group = this.#offsets.get(key.group)
    if (group?.delete(`${key.topic} ${key.partition}`) && group.size === 0) this.#offsets.delete(key.group)
  }

  #uniqueKeys(): number {
    let keys = 0
    for (const group of this.#offsets.values()) keys += group.size
    return keys
  }

  #replayRecord(record: LogRecord): void {
    const key = record.key && decodeOffsetKey(record.key)
    if (!key) return
    if (record.value === null) {
      this.#delete(key)
      return
    }
    const offset = decodeOffsetValue(record.value)
    if (offset === null) {
      this.#options.logger.error({ offset: record.offset, ...key }, 'a commit that cannot be read is passed over')
      return
    }
    this.#commits++
    this.#set(key, offset)
  }

  async #lowerTo(logEnd: (topic: string, partition: number) => number | undefined): Promise<void> {
    const { logger } = this.#options
    for (const group of this.#offsets.values()) {
      for (const { key, offset } of [...group.values()]) {
        const end = logEnd(key.topic, key.partition)
        if (end === undefined || offset <= end) continue
        logger.warn(
          { ...key, committed: offset, logEndOffset: end },
          'a commit was above the end of its log behind an unclean stop: it is set to the end',
        )
        // In memory in any case: on a full disk the next start lowers it again.
        this.#set(key, end)
        await this.#append(key, end).catch((err: unknown) => logger.error({ ...key, err }, 'it could not be written'))
      }
    }
  }
}

function checkGroupName(group: string): void {
  const length = Buffer.byteLength(group)
  if (length > 0 && length <= MAX_GROUP_BYTES) return
  throw new MyKafkaError('INVALID_GROUP_ID', `a group's name has 1 to ${MAX_GROUP_BYTES} bytes, not ${length}`)
}
