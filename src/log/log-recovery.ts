import { rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { NativeRecoveryReport, NativeSegment, NativeSegmentOptions } from '../native/native.js'
import { type LogConfig, segmentOptions } from './log-config.js'
import { listSegmentFiles, type SegmentFiles, segmentPaths } from './segment-files.js'
import { finishSwaps, readCleanedAt } from './segment-swap.js'

export interface OpenSegmentsOptions {
  directory: string
  config: LogConfig
  /** Offset below which everything was on the disk at the last stop. */
  recoveryPoint: number
  /** What lies below it is deleted; base offset of the first segment where there is none yet. */
  logStartOffset: number
  /** False: no file is removed for what lies below it. */
  isLogStartSynced?: boolean
  /** Whether the last stop was clean: then only the end of the log is looked at. */
  clean: boolean
  /** Other files that belong into the directory. */
  knownFiles: ReadonlySet<string>
  logger: Logger
}

export interface OpenedSegments {
  segments: NativeSegment[]
  logEndOffset: number
  /** Everything below it is on the disk. */
  recoveryPoint: number
  /** Ends of the log that there is a producer snapshot of, ascending. */
  snapshots: number[]
  /** When each compacted segment was cleaned, in ms since 1970, by its base offset. */
  cleanedAt: Map<number, number>
}

/**
 * Opens the segments of a partition's directory (docs/disk-format.md). Behind an unclean stop every entry
 * from the recovery point up is checked, and the log ends at the first that is not whole and right; below
 * the recovery point nothing is ever cut.
 */
export async function openSegments(options: OpenSegmentsOptions): Promise<OpenedSegments> {
  const { directory, logger } = options
  const files = await tidyFiles(options)
  if (options.isLogStartSynced !== false) await removeDeletedSegments(options, files)
  if (files.unknown.length > 0) logger.warn({ directory, names: files.unknown }, 'left alone: not part of a log')
  const cleanedAt = new Map<number, number>()
  for (const base of files.compacted) cleanedAt.set(base, await readCleanedAt(directory, base))
  const opening = new Opening(options, files)
  try {
    return { ...(await opening.run()), snapshots: files.snapshots, cleanedAt }
  } catch (error) {
    opening.close()
    throw error
  }
}

/** Removes the segments whose records are all deleted: a crash came before the removal of their files. */
async function removeDeletedSegments(options: OpenSegmentsOptions, files: SegmentFiles): Promise<void> {
  const { directory, logger, logStartOffset } = options
  const { baseOffsets, compacted } = files
  // The last one stays, whatever it holds: the log goes on in it.
  while (baseOffsets[1] !== undefined && baseOffsets[1] <= logStartOffset) {
    const baseOffset = baseOffsets.shift() as number
    compacted.delete(baseOffset)
    for (const path of segmentPaths(directory, baseOffset)) await rm(path, { force: true })
    logger.info({ directory, baseOffset }, `removed a segment: it lies below the log start offset ${logStartOffset}`)
  }
}

/** Ends what the last stop left half done, and lists what there is then. */
async function tidyFiles({ directory, knownFiles, logger }: OpenSegmentsOptions): Promise<SegmentFiles> {
  let files = await listSegmentFiles(directory, knownFiles)
  if (files.swaps.length > 0) {
    logger.info({ directory, swaps: files.swaps }, 'finishes what compaction had begun')
    // What was being written beside it is of no use, and its indexes are not on the disk for sure.
    for (const name of files.orphans) await unlink(join(directory, name))
    await finishSwaps(directory, files.swaps)
    files = await listSegmentFiles(directory, knownFiles)
  }
  // Indexes without a log tell that it was removed. It must not come back when nothing tells of that any more.
  if (files.orphans.length > 0) await native.syncDirectory(directory)
  for (const name of files.orphans) await unlink(join(directory, name))
  return files
}

type Opened = Omit<OpenedSegments, 'snapshots' | 'cleanedAt'>

class Opening {
  readonly #options: OpenSegmentsOptions
  readonly #bases: number[]
  readonly #compacted: Set<number>
  readonly #recoveryPoint: number
  readonly #segments: NativeSegment[] = []
  /** Those that were checked, the last of them appendable. */
  readonly #recovered: NativeSegment[] = []
  /** Files were made or put aside, maybe by a process that did not live to bring that to the disk. */
  #namesChanged: boolean

  constructor(options: OpenSegmentsOptions, { baseOffsets, compacted, aside }: SegmentFiles) {
    this.#options = options
    this.#namesChanged = aside.length > 0
    this.#bases = baseOffsets
    this.#compacted = compacted
    // Compaction takes what is on the disk, and its result is there before it counts.
    const last = baseOffsets.findLastIndex((base) => compacted.has(base))
    const synced = baseOffsets[last + 1] ?? baseOffsets[last] ?? 0
    this.#recoveryPoint = last < 0 ? options.recoveryPoint : Math.max(options.recoveryPoint, synced)
  }

  async run(): Promise<Opened> {
    const { directory, logger, logStartOffset, clean } = this.#options
    const recoveryPoint = this.#recoveryPoint
    if (this.#bases.length === 0) {
      const start = Math.max(logStartOffset, recoveryPoint)
      if (recoveryPoint > logStartOffset) {
        logger.error({ directory, recoveryPoint }, 'the segments of a log are gone: it goes on behind what they held')
      }
      this.#create(start)
      await native.syncDirectory(this.#options.directory)
      return this.#opened(start, start)
    }
    const [first = 0] = this.#bases
    if (first > logStartOffset) {
      const fields = { directory, logStartOffset, baseOffset: first }
      logger.warn(fields, 'segments at the beginning of a log are gone: it begins behind its log start offset')
    }
    const end = clean ? await this.#openClean() : await this.#openUnclean()
    if (!clean) await this.#syncAccepted()
    return this.#opened(end, end)
  }

  close(): void {
    for (const segment of this.#segments) segment.close()
  }

  #opened(logEndOffset: number, recoveryPoint: number): Opened {
    return { segments: this.#segments, logEndOffset, recoveryPoint }
  }

  #optionsFor(baseOffset: number): NativeSegmentOptions {
    const { directory, config } = this.#options
    return segmentOptions(directory, baseOffset, config, this.#compacted.has(baseOffset))
  }

  #create(baseOffset: number): void {
    this.#namesChanged = true
    this.#segments.push(native.createSegment(this.#optionsFor(baseOffset)))
  }

  #openSealed(index: number): void {
    const base = this.#bases[index] as number
    this.#segments.push(native.openSealedSegment(this.#optionsFor(base), this.#bases[index + 1] as number))
  }

  /** Only the end is looked at. Returns the log end offset. */
  async #openClean(): Promise<number> {
    const last = this.#bases.length - 1
    for (let index = 0; index < last; index++) this.#openSealed(index)
    return await this.#openEnd(this.#bases[last] as number)
  }

  /** Opens the last segment, all of which is on the disk. Returns the log end offset. */
  async #openEnd(base: number): Promise<number> {
    const { segment, report } = await native.openCleanSegment(
      this.#optionsFor(base),
      Math.max(this.#recoveryPoint, base),
    )
    if (report.damagedTail) {
      segment.close()
      return await this.#goOnBehindDamage(base, report)
    }
    if (this.#compacted.has(base)) return await this.#goOnBehindCompacted(base, segment)
    this.#segments.push(segment)
    return report.nextOffset
  }

  /** Checks what may not have reached the disk. Returns the log end offset. */
  async #openUnclean(): Promise<number> {
    const { directory, logger } = this.#options
    const recoveryPoint = this.#recoveryPoint
    let end = this.#bases[0] as number
    for (let index = 0; index < this.#bases.length; index++) {
      const base = this.#bases[index] as number
      const next = this.#bases[index + 1]
      if (next === undefined && this.#compacted.has(base)) return await this.#openEnd(base)
      if (next !== undefined && next <= recoveryPoint) {
        this.#openSealed(index)
        end = next
        continue
      }
      // A segment is missing in between, or the one before ended early.
      if (base > end && base > recoveryPoint && index > 0) return await this.#setAsideFrom(index, end)
      const opened = await native.openRecoveringSegment(this.#optionsFor(base), recoveryPoint)
      this.#report(base, opened.report)
      const { entriesChecked, bytesChecked, nextOffset } = opened.report
      // Of thousands of logs, those that nobody wrote to are not worth a line each.
      const level = nextOffset > recoveryPoint ? 'info' : 'debug'
      logger[level]({ directory, baseOffset: base, entries: entriesChecked, bytes: bytesChecked }, 'checked a segment')
      if (opened.report.damagedTail) {
        if (next === undefined || next > opened.report.nextOffset) {
          opened.segment.close()
          await this.#setAsideFrom(index + 1, opened.report.nextOffset)
          return await this.#goOnBehindDamage(base, opened.report)
        }
        opened.segment.close()
        this.#openSealed(index)
        end = next
        continue
      }
      this.#recovered.at(-1)?.seal()
      this.#recovered.push(opened.segment)
      this.#segments.push(opened.segment)
      end = opened.report.nextOffset
      if (opened.report.cutPosition >= 0) return await this.#setAsideFrom(index + 1, end)
    }
    return end
  }

  /** The segment behind it is gone, or was cut off: nothing is appended to what compaction left. */
  async #goOnBehindCompacted(base: number, segment: NativeSegment): Promise<number> {
    const end = segment.nextOffset()
    if (end > base) {
      segment.seal()
      this.#segments.push(segment)
    } else {
      segment.close()
      for (const path of segmentPaths(this.#options.directory, base)) await rm(path, { force: true })
      this.#compacted.delete(base)
    }
    this.#create(end)
    await native.syncDirectory(this.#options.directory)
    return end
  }

  /** The last segment's end is damaged below the recovery point: it is kept, and the log goes on in a new one. */
  async #goOnBehindDamage(base: number, report: NativeRecoveryReport): Promise<number> {
    const { directory, logger } = this.#options
    const end = report.nextOffset
    if (end === base) {
      // Nothing of it was ever acknowledged as synced, and its name is needed.
      await this.#setAside(base)
    } else {
      logger.error(
        { directory, baseOffset: base, nextOffset: end },
        'corruption below the recovery point: the end of a segment is damaged; nothing is deleted, the log goes on in a new segment',
      )
      this.#segments.push(native.openSealedSegment(this.#optionsFor(base), end))
    }
    this.#create(end)
    await native.syncDirectory(directory)
    return end
  }

  /** Puts the segments from this one on aside: they lie behind the end of the log. */
  async #setAsideFrom(index: number, end: number): Promise<number> {
    for (const base of this.#bases.slice(index)) await this.#setAside(base)
    return end
  }

  async #setAside(base: number): Promise<void> {
    const { directory } = this.#options
    this.#report(base, await native.setSegmentAside(this.#optionsFor(base)))
    // Another segment may get this name, and nothing of the old one.
    for (const path of segmentPaths(directory, base).slice(1)) await rm(path, { force: true })
    this.#compacted.delete(base)
    await native.syncDirectory(directory)
  }

  #report(baseOffset: number, report: NativeRecoveryReport): void {
    const { directory, logger } = this.#options
    if (report.cutPosition < 0) return
    this.#namesChanged = true
    logger.warn(
      {
        directory,
        baseOffset,
        position: report.cutPosition,
        bytes: report.cutLength,
        wholeEntries: report.cutWholeEntries,
        keptIn: report.cutPath,
      },
      'recovery cut the end of a log that was not whole',
    )
  }

  /** What recovery accepted must not be lost by the next crash, nor what it cut come back. */
  async #syncAccepted(): Promise<void> {
    for (const segment of this.#recovered) await segment.sync()
    // What was synced of the last segment was so behind the names of all.
    const last = this.#bases.at(-1) as number
    if (this.#namesChanged || this.#recoveryPoint <= last) await native.syncDirectory(this.#options.directory)
  }
}
