import { isOutOfFiles, MyKafkaError } from '../errors.js'
import { retryWithFiles } from './file-relief.js'
import { type LogReader, type ReadRequest, type ReadResult, releaseSlices } from './log-reader.js'
import type { SegmentList } from './segment-list.js'
import { searchTimestamp, type TimestampedEntry } from './timestamp-search.js'

/** What reading asks of the log that is read. */
export interface ReadTarget {
  readonly directory: string
  readonly segments: SegmentList
  /** Makes other logs let go of open files. */
  readonly relieve: (() => Promise<void>) | undefined
  logStartOffset(): number
  logEndOffset(): number
  highWatermark(): number
  /** @throws MyKafkaError when the log is closed */
  requireOpen(): void
}

/** Reads of a log that others cut, and remove segments from, meanwhile. */
export class LogReads {
  readonly #target: ReadTarget
  readonly #reader: LogReader
  #truncations = 0

  constructor(reader: LogReader, target: ReadTarget) {
    this.#reader = reader
    this.#target = target
  }

  /** What was found before may lie above a cut. */
  truncated(): void {
    this.#truncations++
  }

  /** As `PartitionLog.read`. */
  read(request: ReadRequest): ReadResult | Promise<ReadResult> {
    const { directory, segments, logStartOffset, logEndOffset, highWatermark, requireOpen } = this.#target
    requireOpen()
    const { offset } = request
    if (offset < logStartOffset() || offset > logEndOffset()) {
      throw new MyKafkaError(
        'OFFSET_OUT_OF_RANGE',
        `offset ${offset} is not in [${logStartOffset()}, ${logEndOffset()}] of ${directory}`,
      )
    }
    const truncations = this.#truncations
    const { changes } = segments
    const result = this.#readWithFiles(request)
    if (!(result instanceof Promise)) return result
    return result.then(
      (found) => {
        if (truncations === this.#truncations) return found
        releaseSlices(found)
        return this.read({ ...request, upperBound: Math.min(request.upperBound, highWatermark()) })
      },
      (error: unknown) => {
        requireOpen()
        // The segment was removed or replaced meanwhile, or is about to be: its files go a little before.
        if (changes === segments.changes && offset >= logStartOffset()) throw error
        return this.read(request)
      },
    )
  }

  /** As `PartitionLog.offsetForTimestamp`. */
  async offsetForTimestamp(timestamp: number, from: number): Promise<TimestampedEntry | null> {
    const { segments, logStartOffset, logEndOffset, highWatermark, requireOpen } = this.#target
    requireOpen()
    if (from >= logEndOffset()) return null
    const { changes } = segments
    try {
      const found = await searchTimestamp(segments.from(from), timestamp, from)
      return found !== null && found.lastOffset < highWatermark() ? found : null
    } catch (error) {
      requireOpen()
      if (changes === segments.changes && from >= logStartOffset()) throw error
      // A segment was removed or replaced meanwhile.
      return await this.offsetForTimestamp(timestamp, Math.max(from, logStartOffset()))
    }
  }

  #readWithFiles(request: ReadRequest): ReadResult | Promise<ReadResult> {
    const { relieve } = this.#target
    const read = (): ReadResult | Promise<ReadResult> => this.#reader.read(request)
    try {
      const result = read()
      if (!(result instanceof Promise)) return result
      return result.catch((error: unknown) => retryWithFiles(relieve, read, error))
    } catch (error) {
      if (!isOutOfFiles(error)) throw error
      return retryWithFiles(relieve, read, error)
    }
  }
}
