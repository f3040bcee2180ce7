/** Faults of the kind that the harnesses are there for, put into the sources on purpose. */

/** A change of a source file: the text must be there exactly once. */
export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Who is to notice. */
export type Catcher = HarnessCatcher | TestCatcher

/** A harness, in so many rounds at the most. */
export interface HarnessCatcher {
  readonly harness: string
  readonly rounds: number
  /** So many go in one process: the first that fails ends it. */
  readonly portion: number
}

/** A file of tests, where no harness looks at such a thing. */
export interface TestCatcher {
  readonly test: string
}

export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The cheapest first. */
  readonly caughtBy: readonly Catcher[]
}

const disk = (rounds: number): Catcher => ({ harness: 'disk', rounds, portion: 4 })
const power = (rounds: number): Catcher => ({ harness: 'power', rounds, portion: 5 })
const simulator = (rounds: number): Catcher => ({ harness: 'simulator', rounds, portion: 1000 })
const history = (rounds: number): Catcher => ({ harness: 'history', rounds, portion: 5 })

const nothing = ''

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'fdatasync is left out',
    edits: [
      {
        file: 'native/core/file.cc',
        from: 'if (SyncToDisk(fd_) != 0) return Failure("fdatasync");',
        to: nothing,
      },
    ],
    caughtBy: [power(10)],
  },
  {
    name: 'recovery does not check CRCs',
    edits: [
      {
        file: 'native/core/segment_recovery.cc',
        from: 'if (entry.verdict != EntryVerdict::kRight || !Follows(entry.header)) return Broken(entry);',
        to: `const bool parsed = entry.verdict == EntryVerdict::kRight || entry.verdict == EntryVerdict::kCrcWrong;
    if (!parsed || !Follows(entry.header)) return Broken(entry);`,
      },
    ],
    caughtBy: [simulator(3000), disk(16)],
  },
  {
    name: 'an append is acknowledged before it is written',
    edits: [
      {
        file: 'src/log/append-queue.ts',
        from: `      const pending = this.#target.write(batches, bytes, firstOffset)
      if (pending === undefined) {
        this.#acknowledge(appends, firstOffset)
        return undefined
      }
      return pending.then(
        () => this.#acknowledge(appends, firstOffset),`,
        to: `      this.#acknowledge(appends, firstOffset)
      const pending = this.#target.write(batches, bytes, firstOffset)
      if (pending === undefined) return undefined
      return pending.then(
        () => undefined,`,
      },
    ],
    caughtBy: [disk(60)],
  },
  {
    name: 'recovery does not cut the tail',
    edits: [
      {
        file: 'native/core/segment_recovery.cc',
        from: 'MYKAFKA_RETURN_IF_ERROR(log.Truncate(position));',
        to: nothing,
      },
    ],
    caughtBy: [simulator(3000), disk(16)],
  },
  {
    name: 'a roll does not sync the directory',
    edits: [
      {
        file: 'src/log/flusher.ts',
        from: '      await native.syncDirectory(this.#target.directory)',
        to: '      await Promise.resolve(native)',
      },
    ],
    caughtBy: [disk(16)],
  },
  {
    name: 'what is served is not checked',
    edits: [
      {
        file: 'native/core/segment_walk.cc',
        from: 'if (entry.verdict == EntryVerdict::kRight && Fits(entry.header)) {',
        to: `const bool parsed = entry.verdict == EntryVerdict::kRight || entry.verdict == EntryVerdict::kCrcWrong;
  if (parsed && Fits(entry.header)) {`,
      },
    ],
    // What crashes leave is the recovery's; this is for what rots.
    caughtBy: [{ test: 'test/integration/server/damage.test.ts' }],
  },
  {
    name: 'the creation of a topic does not sync directories',
    edits: [
      {
        file: 'src/topic/topic-directory.ts',
        from: 'if (this.#durable) await native.syncDirectory(directory)',
        to: 'if (this.#durable) await Promise.resolve([native, directory])',
      },
    ],
    caughtBy: [disk(16)],
  },
  {
    name: 'acks=all is answered like acks=1',
    edits: [
      {
        file: 'src/log/partition-log.ts',
        from: "fsync === 'always' || (fsync === 'acks' && acks === 'all')",
        to: "fsync === 'always' && acks === 'all'",
      },
    ],
    caughtBy: [power(10)],
  },
  {
    name: 'a sync acknowledges what was written while it ran',
    edits: [
      {
        file: 'src/log/flusher.ts',
        from: `    const reached = this.#target.endOffset()
    try {
      await watchSync(this.#target.logger, this.#target.directory, () => this.#syncAll())
`,
        to: `    let reached = 0
    try {
      await watchSync(this.#target.logger, this.#target.directory, () => this.#syncAll())
      reached = this.#target.endOffset()
`,
      },
    ],
    caughtBy: [disk(16), power(20)],
  },
  {
    name: 'the recovery point moves before the sync',
    edits: [
      {
        file: 'src/log/flusher.ts',
        from: `    try {
      await watchSync(this.#target.logger, this.#target.directory, () => this.#syncAll())
`,
        to: `    this.#flushedOffset = Math.max(this.#flushedOffset, reached)
    try {
      await watchSync(this.#target.logger, this.#target.directory, () => this.#syncAll())
`,
      },
    ],
    caughtBy: [disk(16), power(20)],
  },
  {
    name: 'recovery does not sync what it accepts',
    edits: [
      {
        file: 'src/log/log-recovery.ts',
        from: 'for (const segment of this.#recovered) await segment.sync()',
        to: nothing,
      },
    ],
    caughtBy: [disk(80)],
  },
  {
    name: 'a state file is renamed before its bytes are synced',
    edits: [{ file: 'src/log/durable-file.ts', from: '  await native.syncFile(temporary)\n', to: nothing }],
    caughtBy: [disk(24)],
  },
  {
    name: 'the clean-shutdown marker is not removed',
    edits: [
      {
        file: 'src/log/state-directory.ts',
        from: 'await rm(this.path(CLEAN_SHUTDOWN))',
        to: 'await stat(this.path(CLEAN_SHUTDOWN)).then(() => rm)',
      },
    ],
    caughtBy: [disk(16), power(20)],
  },
  {
    name: 'compaction swaps in a segment that was not synced',
    edits: [{ file: 'native/core/clean_writer.cc', from: 'if (failed_.ok()) failed_ = log_->Sync();', to: nothing }],
    caughtBy: [simulator(3000), disk(24)],
  },
  {
    name: 'compaction forgets a replacement before the directory has it',
    edits: [
      {
        file: 'src/log/compaction/replacement.ts',
        from: '  await native.syncDirectory(directory)\n  await rm(',
        to: '  await Promise.resolve(native)\n  await rm(',
      },
    ],
    caughtBy: [disk(60)],
  },
  {
    name: 'a failed sync is forgotten',
    edits: [
      { file: 'native/core/segment.cc', from: '      sync_failed = true;\n', to: nothing },
      {
        file: 'src/log/flusher.ts',
        from: '    this.#failure = failure\n    this.#target.failed(failure)\n',
        to: nothing,
      },
    ],
    caughtBy: [disk(16)],
  },
  {
    name: 'committed offsets stay above the end of their log',
    edits: [
      {
        file: 'src/topic/offset-store.ts',
        from: 'if (end === undefined || committed.offset <= end) continue',
        to: 'if (end === undefined || committed.offset >= 0) continue',
      },
    ],
    caughtBy: [power(30)],
  },
  {
    name: 'a repeated batch of an idempotent producer is written again',
    edits: [
      {
        file: 'src/log/producer-state.ts',
        from: 'if (same !== undefined) return { baseOffset: same.baseOffset, count: same.recordCount, duplicate: true }',
        to: 'if (same !== undefined) return null',
      },
    ],
    caughtBy: [history(15)],
  },
  {
    name: 'commits are not written',
    edits: [
      {
        file: 'src/topic/offset-store.ts',
        from: 'await this.#append(records, { timestamp })',
        to: 'if (records.length < 0) await this.#append(records, { timestamp })',
      },
    ],
    caughtBy: [history(5)],
  },
  {
    name: 'a log start is acknowledged before it is on the disk',
    edits: [
      {
        file: 'src/topic/log-manager.ts',
        from: `      () => this.#checkpoints.writeLogStartOffsets(),
    )
    return log.logStartOffset`,
        to: `      async () => {},
    )
    return log.logStartOffset`,
      },
    ],
    caughtBy: [history(20)],
  },
  {
    name: 'the length of a frame is believed',
    edits: [
      {
        file: 'src/wire/frame-decoder.ts',
        from: 'Buffer.allocUnsafeSlow(Math.min(this.#frameLength, Math.max(GROWTH * needed, FIRST_CAPACITY)))',
        to: 'Buffer.allocUnsafeSlow(Math.max(this.#frameLength, 0 * GROWTH * needed * FIRST_CAPACITY))',
      },
    ],
    caughtBy: [{ test: 'test/hostile/half-frames.test.ts' }],
  },
]
