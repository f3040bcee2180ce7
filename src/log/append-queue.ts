import { MyKafkaError } from '../errors.js'

/** The timestamp of a record batch whose records keep theirs. */
export const KEEP_TIMESTAMPS = -1

/** What gets consecutive offsets: packed records (docs/protocol.md) with one timestamp, or a Kafka record batch. */
export interface PackedBatch {
  /**
   * For a mykafka log, `[keyLen:4][key][valueLen:4][value]` `count` times; for a kafka log, one whole RecordBatch v2,
   * which is stamped where it lies. It must not change until the append settles.
   */
  records: Uint8Array
  /** Of records; of a record batch, its lastOffsetDelta + 1. */
  count: number
  /** Milliseconds since 1970. Of a record batch: its LogAppendTime, or {@link KEEP_TIMESTAMPS}. */
  timestamp: number
  /** Length of the records as entries of a log, from `checkPacked`; of a record batch, its length. */
  storedLength: number
}

/** Where appended records went: record i of the append has offset `baseOffset + i`. */
export interface AppendResult {
  baseOffset: number
  count: number
  /** The same batch was written before, to these offsets; nothing was written now. */
  duplicate?: true
}

/** What an append depends on beside room in the log. */
export interface AppendGuard {
  /** The second of two appends with the same key depends on the first. */
  readonly key: unknown
  /**
   * Asked of an append in place of `admit` where one with the same key goes into the same write: whether this one is to
   * be written directly behind it. Where not, it is decided when that write is done.
   */
  follows(previous: this): boolean
  /**
   * Asked directly before offsets are assigned. Returns where the append was written before, if it was; null where it
   * is to be written now. Throws to refuse it.
   */
  admit(): AppendResult | null
  /** The append is written, from this offset on. */
  appended(baseOffset: number): void
  /** It was admitted, and the disk did not take it. */
  failed(): void
}

/** What the queue asks of the log that owns it. */
export interface AppendTarget {
  endOffset(): number
  /** The largest timestamp of the batch's records. */
  timestampOf(batch: PackedBatch): number
  /** Makes room for `bytes` in the active segment: rolls it where they would not fit, or where it is too old for them. */
  prepare(bytes: number, timestamp: number): void
  /** Whether records of this timestamp may go into the segment that was prepared. */
  takes(timestamp: number): boolean
  /** Bytes that the active segment can take without a roll. */
  room(): number
  /** Writes consecutive batches from an offset: all or nothing. Settles at once where the write is small. */
  write(batches: PackedBatch[], bytes: number, firstOffset: number): undefined | Promise<void>
  /** Makes written records visible, of so many bytes as they are stored. */
  publish(nextOffset: number, bytes: number): void
  /** Resolves when everything below the offset is on the disk. */
  flushed(offset: number): Promise<void>
  /** Whether an append that ends below this offset has to wait for the disk, though it does not ask for it. */
  isFlushDue(endOffset: number): boolean
}

interface Append {
  batches: PackedBatch[]
  count: number
  bytes: number
  /** The largest of its records. */
  timestamp: number
  waitForDisk: boolean
  guard: AppendGuard | undefined
  resolve(result: AppendResult): void
  reject(error: unknown): void
}

/** As many bytes go out in one write, where that many wait. */
const GROUP_BYTES = 4 << 20

/** And as many offsets, which a segment that is new has room for: a compressed batch may claim any number. */
const GROUP_OFFSETS = 2 ** 31 - 1

/**
 * The one queue of a partition: what arrives within one turn of the event loop, or while a write is under
 * way, goes out as one write (group commit). Offsets are assigned here, directly before the write.
 */
export class AppendQueue {
  readonly #target: AppendTarget
  #waiting: Append[] = []
  #scheduled = false
  #writing = false
  #refusal: MyKafkaError | null = null
  #idle: (() => void)[] = []

  constructor(target: AppendTarget) {
    this.#target = target
  }

  append(batches: PackedBatch[], waitForDisk: boolean, guard?: AppendGuard): Promise<AppendResult> {
    if (this.#refusal !== null) return Promise.reject(this.#refusal)
    return new Promise((resolve, reject) => {
      let count = 0
      let bytes = 0
      let timestamp = Number.NEGATIVE_INFINITY
      for (const batch of batches) {
        count += batch.count
        bytes += batch.storedLength
        timestamp = Math.max(timestamp, this.#target.timestampOf(batch))
      }
      this.#waiting.push({ batches, count, bytes, timestamp, waitForDisk, guard, resolve, reject })
      this.#schedule()
    })
  }

  /** From now on appends are refused with this error; those that wait are refused too. */
  refuse(error: MyKafkaError): void {
    this.#refusal ??= error
    const waiting = this.#waiting
    this.#waiting = []
    for (const append of waiting) append.reject(error)
  }

  /** Runs alone: behind the writes that are under way, before those that wait. Refused like an append. */
  async exclusive<T>(run: () => Promise<T>): Promise<T> {
    while (this.#writing) await new Promise<void>((resolve) => this.#idle.push(resolve))
    if (this.#refusal !== null) throw this.#refusal
    this.#writing = true
    try {
      return await run()
    } finally {
      this.#settled()
    }
  }

  /** Resolves when nothing waits and nothing is being written. */
  async drained(): Promise<void> {
    while (this.#writing || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve))
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#drain()
    })
  }

  #drain(): void {
    if (this.#writing) return
    let written = 0
    while (this.#waiting.length > 0) {
      // A long queue leaves the event loop a turn between writes.
      if (written >= GROUP_BYTES) {
        this.#schedule()
        return
      }
      const group = this.#takeGroup()
      if (group === null) continue
      const pending = this.#writeGroup(group)
      if (pending !== undefined) {
        this.#writing = true
        void pending.finally(() => this.#settled())
        return
      }
      written += group.bytes
    }
    this.#wakeIdle()
  }

  #settled(): void {
    this.#writing = false
    this.#wakeIdle()
    if (!this.#writing && this.#waiting.length > 0) this.#schedule()
  }

  #wakeIdle(): void {
    if (this.#idle.length === 0) return
    const idle = this.#idle
    this.#idle = []
    for (const wake of idle) wake()
  }

  /** The first waiting append and those behind it that fit the same segment and write. */
  #takeGroup(): { appends: Append[]; bytes: number } | null {
    return this.#waiting.length === 1 ? this.#takeOnly() : this.#takeSome()
  }

  /**
   * With many partitions, most writes are of one append. It is taken out of the array, which stays: one that was old and
   * left behind with it would keep the request's memory from the collector of what is young.
   */
  #takeOnly(): { appends: Append[]; bytes: number } | null {
    const only = this.#waiting.pop() as Append
    return this.#admit(only) && this.#prepare(only) ? { appends: [only], bytes: only.bytes } : null
  }

  #takeSome(): { appends: Append[]; bytes: number } | null {
    const appends: Append[] = []
    const guards = new Map<unknown, AppendGuard>()
    let bytes = 0
    let offsets = 0
    let limit = 0
    let taken = 0
    for (const append of this.#waiting) {
      const { guard } = append
      const previous = guard && guards.get(guard.key)
      const fits =
        bytes + append.bytes <= limit && offsets + append.count <= GROUP_OFFSETS && this.#fits(offsets, append)
      const joins = fits && (previous === undefined || guard?.follows(previous) === true)
      if (appends.length > 0 && !(joins && this.#target.takes(append.timestamp))) break
      taken++
      if (previous === undefined && !this.#admit(append)) continue
      if (appends.length === 0) {
        if (!this.#prepare(append)) break
        limit = Math.min(GROUP_BYTES, this.#target.room())
      }
      if (guard) guards.set(guard.key, guard)
      appends.push(append)
      bytes += append.bytes
      offsets += append.count
    }
    this.#waiting.splice(0, taken)
    return appends.length > 0 ? { appends, bytes } : null
  }

  /** Whether the append is to be written; it is settled where it is not. */
  #admit({ guard, waitForDisk, resolve, reject }: Append): boolean {
    if (guard === undefined) return true
    try {
      const earlier = guard.admit()
      if (earlier === null) return true
      if (!waitForDisk) resolve(earlier)
      else this.#target.flushed(earlier.baseOffset + earlier.count).then(() => resolve(earlier), reject)
    } catch (error) {
      reject(error)
    }
    return false
  }

  /** Whether there are offsets for it behind those of the group: a log ends at 2^53 - 1. */
  #fits(offsets: number, { count }: Append): boolean {
    return this.#target.endOffset() + offsets + count <= Number.MAX_SAFE_INTEGER
  }

  #prepare(append: Append): boolean {
    if (!this.#fits(0, append)) {
      append.reject(new MyKafkaError('KAFKA_STORAGE_ERROR', 'the offsets of the log are used up'))
      return false
    }
    try {
      this.#target.prepare(append.bytes, append.timestamp)
      return true
    } catch (error) {
      append.guard?.failed()
      append.reject(error)
      return false
    }
  }

  #writeGroup({ appends, bytes }: { appends: Append[]; bytes: number }): undefined | Promise<void> {
    const firstOffset = this.#target.endOffset()
    const only = appends.length === 1 ? appends[0] : undefined
    const batches = only ? only.batches : appends.flatMap((append) => append.batches)
    try {
      const pending = this.#target.write(batches, bytes, firstOffset)
      if (pending === undefined) {
        this.#acknowledge(appends, firstOffset)
        return undefined
      }
      return pending.then(
        () => this.#acknowledge(appends, firstOffset),
        (error: unknown) => this.#fail(appends, error),
      )
    } catch (error) {
      this.#fail(appends, error)
      return undefined
    }
  }

  #fail(appends: Append[], error: unknown): void {
    for (const { guard, reject } of appends) {
      guard?.failed()
      reject(error)
    }
  }

  #acknowledge(appends: Append[], firstOffset: number): void {
    let offset = firstOffset
    let bytes = 0
    let waitForDisk = false
    for (const append of appends) {
      append.guard?.appended(offset)
      offset += append.count
      bytes += append.bytes
      append.waitForDisk ||= this.#target.isFlushDue(offset)
      waitForDisk ||= append.waitForDisk
    }
    this.#target.publish(offset, bytes)
    const flushed = waitForDisk ? this.#target.flushed(offset) : undefined
    let baseOffset = firstOffset
    for (const append of appends) {
      const result: AppendResult = { baseOffset, count: append.count }
      baseOffset += append.count
      if (!append.waitForDisk || flushed === undefined) append.resolve(result)
      else flushed.then(() => append.resolve(result), append.reject)
    }
  }
}
