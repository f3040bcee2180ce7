/**
 * Every native signature, in one file. The addon checks its arguments again: a wrong one is a
 * TypeError, never a crash. Errors are made by the factory given to {@link NativeAddon.setErrorFactory}.
 *
 * @module
 */

/** What {@link NativeSegment.findRange} writes into its `out`, by index. `count` is that of records. */
export const RANGE = { position: 0, length: 1, firstOffset: 2, lastOffset: 3, count: 4, fields: 5 } as const

/** What {@link NativeAddon.checkBatch} writes into its `out`, by index. Beyond 2^53 the times are not exact. */
export const BATCH = {
  /** In bytes, header included. */
  length: 0,
  count: 1,
  lastOffsetDelta: 2,
  /** 0-2 compression, 3 LogAppendTime, 4 transactional, 5 control, 6 delete horizon. */
  attributes: 3,
  baseTimestamp: 4,
  maxTimestamp: 5,
  /** -1: none; epoch and sequence mean nothing then. */
  producerId: 6,
  producerEpoch: 7,
  baseSequence: 8,
  leaderEpoch: 9,
  fields: 10,
} as const

/** Answers of the native calls that do not throw for what is expected to happen. */
export const FIND = {
  /** `out` is filled; a length of 0 means nothing to read below the bound, or in a sparse segment nothing left. */
  found: 0,
  /** The answer needs the disk or a verification: use the asynchronous call. */
  wouldBlock: 1,
  /** The offset lies in damaged bytes. */
  corrupt: 2,
  /** The offset is not in `[baseOffset, nextOffset]`. */
  outOfRange: 3,
} as const

/** What {@link NativeSegment.findTimestampAsync} writes into its `out`, by index. */
export const FOUND = { offset: 0, lastOffset: 1, timestamp: 2, fields: 3 } as const

/** A run of damaged bytes in a segment and the offsets `[firstOffset, nextOffset)` lost with it. */
export interface NativeDamage {
  position: number
  length: number
  firstOffset: number
  nextOffset: number
}

/** What opening a segment found (native/core/segment.h, RecoveryReport). */
export interface NativeRecoveryReport {
  nextOffset: number
  entriesChecked: number
  bytesChecked: number
  /** -1 where nothing was cut. */
  cutPosition: number
  cutLength: number
  cutWholeEntries: number
  cutPath: string
  damagedTail: boolean
}

export interface NativeSegmentOptions {
  directory: string
  baseOffset: number
  indexIntervalBytes: number
  indexMaxBytes: number
  /** Of all its entries; default `mykafka`. */
  recordFormat?: 'mykafka' | 'kafka'
  /** Whether it is what compaction left of others, so that missing offsets are no damage; default false. */
  sparse?: boolean
}

/** native/core/segment.h holds the contract. */
export interface NativeSegment {
  readonly baseOffset: number
  readonly logPath: string
  readonly sparse: boolean
  nextOffset(): number
  /** Whether an append finds its files open, or has to open them first. */
  filesOpen(): boolean
  size(): number
  syncedSize(): number
  /** -1 while empty or unknown. */
  largestTimestamp(): number
  /** Whether that is the largest of all that the segment holds; where not, it is one that it holds, and may hold larger ones. */
  timestampsKnown(): boolean
  /**
   * Makes it known, and resolves to it: from the end of the time index; where that is missing or wrong by a pass over
   * the log, which makes the time index anew.
   */
  loadTimestamps(): Promise<number>
  damages(): NativeDamage[]
  /**
   * Appends as one write, all or nothing. Batch i holds `counts[i]` packed records and gets `timestamps[i]`; in a kafka
   * log it is one record batch of `counts[i]` offsets, stamped where it lies, which keeps its times where `timestamps[i]`
   * is -1 and else gets this one as its LogAppendTime. Returns false, with nothing written, where the index or the relative offsets
   * have no room: roll, then append again.
   */
  append(batches: Uint8Array[], counts: number[], timestamps: number[], firstOffset: number): boolean
  /** The same on a thread of its own. The buffers must not change until it settles. */
  appendAsync(batches: Uint8Array[], counts: number[], timestamps: number[], firstOffset: number): Promise<boolean>
  /**
   * Whole entries from the one that holds the offset on; of a sparse segment, from the first behind a missing offset on,
   * and nothing where there is none. Never waits. Returns one of {@link FIND}.
   */
  findRange(offset: number, maxBytes: number, upperBound: number, out: Float64Array): number
  /** The same where the disk is needed; verifies what is not verified yet. */
  findRangeAsync(offset: number, maxBytes: number, upperBound: number, out: Float64Array): Promise<number>
  /**
   * The first entry whose largest timestamp is this one or above, of those that hold `fromOffset` or a higher offset;
   * with Infinity, the first of those with the largest. Fills `out` by {@link FOUND}; false where there is none.
   */
  findTimestampAsync(timestamp: number, fromOffset: number, out: Float64Array): Promise<boolean>
  /**
   * Of a kafka log: the 61-byte headers of at most `limit` batches, packed, from the one that holds `fromOffset` on.
   * Damaged ones are left out. Empty at the end.
   */
  readBatchHeaders(fromOffset: number, limit: number): Promise<Buffer>
  /** Fills `into`; returns false where the bytes are not in memory (nothing is promised about `into` then). */
  read(into: Uint8Array, position: number): boolean
  readAsync(into: Uint8Array, position: number): Promise<void>
  sync(): Promise<void>
  /** No more appends: its indexes end behind their last entries. */
  seal(): void
  /** The same before `close`, where the segment is to take appends behind the next opening: its indexes keep their room. */
  sealUntrimmed(): void
  truncateTo(offset: number): Promise<void>
  verify(): Promise<void>
  /** Keeps the open file until as many `unpin` were called, whatever becomes of the segment. */
  pin(): void
  unpin(): void
  close(): void
}

/** What {@link NativeAddon.checkLogFile} takes. */
export interface NativeLogCheckOptions {
  baseOffset: number
  /** Base offset of the segment behind it; default: the log ends with this one, or nobody knows. */
  endOffset?: number | undefined
  /** Entries from this offset on are not looked at; default: all are. */
  below?: number | undefined
  /** Whether offsets may be missing. */
  sparse: boolean
  /** Default: that of the first entry. */
  recordFormat?: 'mykafka' | 'kafka' | undefined
  /** The bytes of its `.index` and `.timeindex`, read before the call: nothing may be in them that is not in the log. */
  index?: Uint8Array
  timeIndex?: Uint8Array
}

/** What {@link NativeAddon.checkLogFile} found; native/core/log_check.h. */
export interface NativeLogCheck {
  recordFormat: 'mykafka' | 'kafka'
  /** Of the file. */
  size: number
  /** Where the last right entry ends. */
  checked: number
  /** Of right ones. */
  entries: number
  records: number
  nextOffset: number
  /** -1 without entries. */
  largestTimestamp: number
  damageCount: number
  /** The first of them by position, {@link DAMAGE}.fields numbers each. */
  damages: Float64Array
  /** A verdict for each entry of the indexes: 0 right, 1 wrong, 2 not checked, since what it speaks of is damaged. */
  index: Uint8Array
  timeIndex: Uint8Array
  /** The most bytes of the log between two right entries of the index; -1 where it has no two. */
  indexWidest: number
  /** Bytes from what its last right entry names to the last entry of the log; -1 where it has none. */
  indexTail: number
}

/** The numbers of one damage in {@link NativeLogCheck.damages}, by index. */
export const DAMAGE = {
  /** 0 CRC wrong, 1 torn, 2 no entry, 3 an entry of other offsets, 4 offsets missing. */
  kind: 0,
  position: 1,
  length: 2,
  firstOffset: 3,
  /** At the end of a log it is not known: firstOffset. */
  nextOffset: 4,
  fields: 5,
} as const

/** What {@link NativeAddon.createCleaner} takes. */
export interface NativeCleanerOptions {
  recordFormat: 'mykafka' | 'kafka'
  /** Bounds the memory of the offset map: 24 bytes a key. It grows up to it as keys come. */
  bufferBytes: number
  /** How much of the map may be filled: above 0, at most 1. */
  loadFactor: number
  /** So many bytes of compressed batches, with what lies between them, are handed out at once; or one batch. */
  runBytes: number
}

/**
 * Batches one behind the other. The bytes are also native code's: they must not be written to.
 */
export interface NativeRun {
  readonly bytes: Buffer
  /** Where in them the batches are whose records are to be decompressed. */
  readonly compressed: Uint32Array
}

/**
 * Where a call of the cleaner ended. `nextOffset` is where the next one goes on.
 *
 * - `end`: it reached `toOffset`, or the end of the segment.
 * - `full`: the map takes no further key. `nextOffset` is the first offset that is not in it.
 * - `budget`: so many bytes were read as the call was allowed.
 * - `compressed`: `run` has compressed batches, nothing of which is dealt with yet; `nextOffset` lies behind it. The next
 *   calls must be those that deal with it: {@link NativeCleaner.indexRecords} or {@link NativeCleanWriter.filter}, until
 *   the records of each were given.
 */
export interface NativeCleanStep {
  nextOffset: number
  stop: 'end' | 'full' | 'budget' | 'compressed'
  run: NativeRun | null
  bytesRead: number
  /** Of pass 2, else 0. */
  bytesWritten: number
}

/**
 * One run of the log cleaner over one partition; native/core/cleaner.h holds the contract. One call at a time, those of
 * its writers included. Each works on a thread of its own.
 */
export interface NativeCleaner {
  /**
   * Pass 1: puts the keys of the records with offsets in `[fromOffset, toOffset)` into the map. Segments come in order,
   * and each call goes on where the last one ended. Bytes that are not right reject with CORRUPT_MESSAGE; what lies
   * before them is in the map.
   */
  index(segment: NativeSegment, fromOffset: number, toOffset: number, budgetBytes: number): Promise<NativeCleanStep>
  /**
   * The same for the decompressed records of the next compressed batches that `index` handed out. Stops with `end`, or
   * with `full`: nothing is asked of the others then.
   */
  indexRecords(records: readonly Uint8Array[]): Promise<NativeCleanStep>
  /** The offset that pass 1 has come to, -1 before its first call. Pass 2 keeps what lies at or above it. */
  indexedTo(): number
  /** In the map. */
  keys(): number
  /**
   * Pass 2: creates `%020d.log.cleaned`, its `.index.cleaned` and, when it is finished, `.timeindex.cleaned`, in place of
   * what stands there. The caller syncs the directory.
   */
  openWriter(options: NativeCleanWriterOptions): Promise<NativeCleanWriter>
  /**
   * Calls under way reject with ABORTED, and later ones do, but for a writer's `abort`. The map's memory goes as soon as
   * none is under way.
   */
  close(): void
}

export interface NativeCleanWriterOptions {
  directory: string
  /** Of the group of neighbouring segments. */
  baseOffset: number
  /** Behind all that may become part of it: the group ends with what is copied last. */
  endOffset: number
  indexIntervalBytes: number
  /** Of kafka batches: those with a delete horizon at or before this time lose their tombstones. */
  nowMs: number
  /** Of kafka batches: the one that a batch with tombstones gets, where it has none (now + delete.retention.ms). */
  deleteHorizonMs: number
  /** Of kafka batches: the last offsets of the last batches of producers, which stay also without records. */
  keepEmpty: Float64Array
}

/** The file of a group of segments; native/core/clean_writer.h holds the contract. */
export interface NativeCleanWriter {
  readonly logPath: string
  readonly indexPath: string
  /**
   * Appends what stays of the entries from `fromOffset` up to the segment's end. Segments come in order.
   *
   * @param dropTombstonesBelow - of mykafka records: tombstones with offsets below it go. The first dirty offset of this
   *   run where the segment's cleanedAt + delete.retention.ms has passed (a tombstone that this run is the first to see
   *   must live on), else 0.
   */
  copy(
    segment: NativeSegment,
    fromOffset: number,
    dropTombstonesBelow: number,
    budgetBytes: number,
  ): Promise<NativeCleanStep>
  /** For the decompressed records of the next compressed batches that `copy` handed out. */
  filter(records: readonly Uint8Array[]): Promise<NativeFiltered>
  /**
   * What `filter` left, compressed by the codecs of these numbers, which need not be those that the batches had. The
   * headers are native code's. Resolves with how many bytes were written.
   */
  append(compressed: readonly Uint8Array[], codecs: Uint8Array): Promise<number>
  /** How many entries are not what they were, so far: those that were dropped, and those that were written anew. */
  changes(): number
  /** The log and its index are synced. */
  finish(): Promise<NativeCleaned>
  /** Removes the files, also behind `finish`. */
  abort(): Promise<void>
}

/** What {@link NativeCleanWriter.filter} left. */
export interface NativeFiltered {
  /**
   * For each batch that was given: 0 where it is dealt with, be it kept as it is, dropped, or kept without records. Where
   * one is not, the next call must be `append`.
   */
  readonly lengths: Uint32Array
  /** Records of the batches that lose some, uncompressed: so many bytes each. */
  readonly records: Buffer
  /** What was written of those that are dealt with. */
  readonly bytesWritten: number
}

/** What a {@link NativeCleanWriter} wrote. */
export interface NativeCleaned {
  /** 0 where nothing stayed. */
  bytes: number
  entries: number
  /** -1 without entries. */
  largestTimestamp: number
  recordsRead: number
  recordsKept: number
  /** Of the kept records. Those of batches that were not looked into, behind `indexedTo`, are not counted. */
  tombstones: number
}

/** A buffer, or bytes of a segment's log file. */
export type SendPart = Uint8Array | { segment: NativeSegment; position: number; length: number }

/** How a {@link NativeSocketSender.send} ended. */
export type SendOutcome = 'sent' | 'stalled' | 'cancelled' | 'reset' | 'failed'

/** native/core/socket_sender.h holds the contract. Linux only. */
export interface NativeSocketSender {
  /**
   * Sends the parts in order. Returns true when all of it went out at once; else the rest goes out from
   * a thread, and `done` is called once, later. One send at a time.
   */
  send(parts: SendPart[], done: (outcome: SendOutcome, error: Error | null) => void): boolean
  /** Bytes of the current send that the socket has not taken yet. */
  pendingBytes(): number
  /** Ends a send that is under way (its `done` gets 'cancelled') and lets go of the socket. */
  close(): void
}

export interface NativeAddon {
  /** Hash of the native sources that the binary was built from. */
  readonly sourceStamp: string
  readonly crc32Implementation: string
  readonly crc32cImplementation: string
  setErrorFactory(make: (code: string, message: string, errno: string | undefined) => Error): void
  crc32(data: Uint8Array, seed?: number): number
  crc32c(data: Uint8Array, seed?: number): number
  /**
   * Walks the packed records in `data`: exactly `count` of them, each with a key where `keysRequired`. Returns their
   * length as entries of a log. Throws INVALID_RECORD or MESSAGE_TOO_LARGE.
   */
  checkPacked(data: Uint8Array, count: number, keysRequired?: boolean): number
  /**
   * Checks what a Kafka client sent as the records of one partition: exactly one RecordBatch v2, whole and right; the
   * records of an uncompressed one are walked. A maxTimestamp that they contradict is put right in `data`. Fills
   * `out` by {@link BATCH}. Throws CORRUPT_MESSAGE for sizes that do not fit and a wrong CRC, MESSAGE_TOO_LARGE
   * above `maxBytes`, INVALID_RECORD for anything else.
   */
  checkBatch(data: Uint8Array, maxBytes: number, out: Float64Array): void
  createSegment(options: NativeSegmentOptions): NativeSegment
  openSealedSegment(options: NativeSegmentOptions, nextOffset: number): NativeSegment
  openCleanSegment(
    options: NativeSegmentOptions,
    recoveryPoint: number,
  ): Promise<{ segment: NativeSegment; report: NativeRecoveryReport }>
  openRecoveringSegment(
    options: NativeSegmentOptions,
    recoveryPoint: number,
  ): Promise<{ segment: NativeSegment; report: NativeRecoveryReport }>
  setSegmentAside(options: NativeSegmentOptions): Promise<NativeRecoveryReport>
  /** How many segments keep their files open while idle, process-wide. */
  setOpenFileLimit(limit: number): void
  openFileLimit(): number
  openFileCount(): number
  /**
   * Scans entries of a log file from a position: up to `limit` of them, {@link SCAN}.fields numbers each. The first
   * entry of the file says which format they have. `nextPosition` is where the next scan starts; `end` is the file's size.
   */
  scanLogFile(
    path: string,
    position: number,
    limit: number,
  ): Promise<{ recordFormat: 'mykafka' | 'kafka'; entries: Float64Array; nextPosition: number; end: number }>
  /**
   * Reads a log file once, as a segment that is sealed, and holds its indexes against it. Reads only: it needs no
   * lock, and what a broker writes meanwhile is not looked at.
   */
  checkLogFile(path: string, options: NativeLogCheckOptions): Promise<NativeLogCheck>
  createCleaner(options: NativeCleanerOptions): NativeCleaner
  /** On a thread for syncs: of Node's own four, none may wait for a slow disk. */
  syncFile(path: string): Promise<void>
  syncDirectory(path: string): Promise<void>
  /** flock(LOCK_EX | LOCK_NB). Null where another holds it. The lock goes with `release` or the process. */
  lockFile(path: string): { release(): void } | null
  /** Whether it is this process that holds the lock, in whichever of its threads. */
  isLockedHere(path: string): boolean
  createSocketSender(fd: number, stallTimeoutMs: number): NativeSocketSender
  /**
   * Takes bytes that a socket has at hand, from `start` on to the end of `into` at the most. Returns how many: 0 also
   * at the end of the stream and where it failed, which Node's next read tells.
   */
  receiveInto(fd: number, into: Uint8Array, start: number): number
}

/** The numbers of one entry in {@link NativeAddon.scanLogFile}'s answer, by index. */
export const SCAN = {
  position: 0,
  length: 1,
  /** Of a batch, its first. */
  offset: 2,
  /** Of a batch, its largest. */
  timestamp: 3,
  /** Of a record. */
  keyLength: 4,
  valueLength: 5,
  /** 0 right, 1 CRC wrong, 2 torn, 3 not an entry (native/core/entry_scanner.h). */
  verdict: 6,
  lastOffset: 7,
  fields: 8,
} as const
