import { MyKafkaError } from '../errors.js'
import { FIND, type NativeSegment, RANGE } from '../native/native.js'
import type { FileSlice, SliceTracker } from './file-slice.js'
import { BATCH_AT } from './record-batch.js'
import type { SegmentList } from './segment-list.js'

/** What to read of a log. */
export interface ReadRequest {
  offset: number
  /** As many whole entries as fit, but one at least where one is below the bound. */
  maxBytes: number
  /** Exclusive: entries from this offset on are not handed out. */
  upperBound: number
}

/** Entries of a log as they are stored. Each slice must be released. */
export interface ReadResult {
  slices: FileSlice[]
  bytes: number
  count: number
  /** -1 where nothing was read. */
  firstOffset: number
  /** -1 where nothing was read. */
  lastOffset: number
}

/** Lets go of what a read found. */
export function releaseSlices({ slices }: ReadResult): void {
  for (const slice of slices) slice.release()
}

/** A fetch takes part of so many segments at the most; the next one goes on from there. */
const MAX_SLICES = 64

function emptyResult(): ReadResult {
  return { slices: [], bytes: 0, count: 0, firstOffset: -1, lastOffset: -1 }
}

// One of each for all logs: of thousands, most are read by nobody.

/** What was found without waiting. */
const RANGE_FOUND = new Float64Array(RANGE.fields)
/** The last read of each segment that had to wait. They take turns: one segment holds one thread at the most. */
const COLD_READS = new WeakMap<NativeSegment, Promise<unknown>>()

/** Called behind a read that had to check a segment's bytes: its damages may have grown; `damaged` is an offset in one. */
type OnVerified = (segment: NativeSegment, damaged?: number) => void

/** Finds the ranges of segment files that answer a read. No loop over records. */
export class LogReader {
  readonly #segments: SegmentList
  readonly #tracker: SliceTracker
  readonly #onVerified: OnVerified

  constructor(segments: SegmentList, tracker: SliceTracker, onVerified: OnVerified) {
    this.#segments = segments
    this.#tracker = tracker
    this.#onVerified = onVerified
  }

  /**
   * Answers at once where everything is in memory and verified; else the answer is a promise.
   *
   * @throws MyKafkaError CORRUPT_MESSAGE where the first offset asked for is damaged
   */
  read(request: ReadRequest): ReadResult | Promise<ReadResult> {
    const { maxBytes, upperBound } = request
    for (let { offset } = request; offset < upperBound; ) {
      const index = this.#segments.indexOf(offset)
      const segment = this.#segments.at(index) as NativeSegment
      const found = segment.findRange(offset, maxBytes, upperBound, RANGE_FOUND)
      if (found === FIND.wouldBlock) return this.#readCold({ ...request, offset }, segment)
      const answer = this.#answer(segment, { ...request, offset }, found, RANGE_FOUND)
      if (answer !== null) return answer
      offset = segment.nextOffset()
    }
    return emptyResult()
  }

  async #readCold(request: ReadRequest, segment: NativeSegment): Promise<ReadResult> {
    const out = new Float64Array(RANGE.fields)
    const found = await this.#findCold(request, segment, out)
    const answer = this.#answer(segment, request, found, out)
    return await (answer ?? this.read({ ...request, offset: segment.nextOffset() }))
  }

  async #findCold(request: ReadRequest, segment: NativeSegment, out: Float64Array): Promise<number> {
    const { offset, maxBytes, upperBound } = request
    const before = COLD_READS.get(segment) ?? Promise.resolve()
    const finding = before.then(() => segment.findRangeAsync(offset, maxBytes, upperBound, out))
    COLD_READS.set(
      segment,
      finding.catch(() => {}),
    )
    const found = await finding
    this.#onVerified(segment)
    return found
  }

  /** What was found of the first segment, and what follows it; null where compaction has left nothing of it to read. */
  #answer(
    segment: NativeSegment,
    request: ReadRequest,
    found: number,
    out: Float64Array,
  ): ReadResult | Promise<ReadResult> | null {
    if (found === FIND.corrupt) {
      this.#onVerified(segment, request.offset)
      throw corrupt(segment, request.offset)
    }
    if (found !== FIND.found) {
      throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `offset ${request.offset} is not in ${segment.logPath}`)
    }
    const result = emptyResult()
    if ((out[RANGE.length] as number) === 0) return segment.sparse ? null : result
    this.#add(result, segment, out)
    if (!isReadToEnd(segment, out)) return result
    const cold = this.#goOn(request, result, segment)
    return cold !== null && mayBeEmpty(result) ? this.#goOnCold(request, result, cold) : result
  }

  /** An answer without records is asked for again by kafkajs, for ever: one that may be such waits for the next segment. */
  async #goOnCold(request: ReadRequest, result: ReadResult, cold: NativeSegment): Promise<ReadResult> {
    const { changes } = this.#segments
    const out = new Float64Array(RANGE.fields)
    for (let next: NativeSegment | null = cold; next !== null && mayBeEmpty(result); ) {
      // What there is answers where it cannot be read; the next read says why.
      const found = await this.#findCold({ ...request, offset: next.baseOffset }, next, out).catch(() => FIND.corrupt)
      const before = this.#segments.at(this.#segments.indexOf(next.baseOffset) - 1)
      if (found !== FIND.found || before === undefined || changes !== this.#segments.changes) break
      const blocked = this.#goOn(request, result, before)
      next = blocked === next ? null : blocked
    }
    return result
  }

  #add(result: ReadResult, segment: NativeSegment, out: Float64Array): void {
    const length = out[RANGE.length] as number
    const lastOffset = out[RANGE.lastOffset] as number
    result.slices.push(this.#tracker.take(segment, out[RANGE.position] as number, length, lastOffset))
    result.lastOffset = lastOffset
    result.bytes += length
    result.count += out[RANGE.count] as number
    if (result.firstOffset < 0) result.firstOffset = out[RANGE.firstOffset] as number
  }

  /**
   * Goes on behind a segment into the next ones, as far as they answer without waiting.
   *
   * @returns the one that it would have to wait for
   */
  #goOn(request: ReadRequest, result: ReadResult, first: NativeSegment): NativeSegment | null {
    const out = RANGE_FOUND
    const { upperBound } = request
    let index = this.#segments.indexOf(first.baseOffset) + 1
    for (let offset = first.nextOffset(); result.slices.length < MAX_SLICES && offset < upperBound; index++) {
      const segment = this.#segments.at(index)
      const room = request.maxBytes - result.bytes
      // Offsets that are missing between two segments are damage: the next read says so.
      if (segment === undefined || room <= 0 || offset !== segment.baseOffset) return null
      try {
        const found = segment.findRange(offset, room, upperBound, out)
        if (found === FIND.wouldBlock) return segment
        if (found !== FIND.found) return null
        const length = out[RANGE.length] as number
        if (length > room || (length === 0 && !segment.sparse)) return null
        if (length > 0) this.#add(result, segment, out)
      } catch {
        // Its file could not be read or kept open: what there is answers, and the next read says why.
        return null
      }
      if (!isReadToEnd(segment, out)) return null
      offset = segment.nextOffset()
    }
    return null
  }
}

/** Whether it can be batches without records alone: compaction leaves the last one of each producer. */
function mayBeEmpty({ bytes }: ReadResult): boolean {
  return bytes % BATCH_AT.records === 0 && bytes <= MAX_SLICES * BATCH_AT.records
}

/** Whether nothing of a segment is left behind what was found of it. Damage is: the next read says so. */
function isReadToEnd(segment: NativeSegment, out: Float64Array): boolean {
  if (!segment.sparse) return (out[RANGE.lastOffset] as number) + 1 >= segment.nextOffset()
  const length = out[RANGE.length] as number
  return length === 0 || (out[RANGE.position] as number) + length >= segment.size()
}

function corrupt(segment: NativeSegment, offset: number): MyKafkaError {
  const damage = segment.damages().find((range) => range.firstOffset <= offset && offset < range.nextOffset)
  const where = damage ? `, offsets ${damage.firstOffset} to ${damage.nextOffset - 1}` : ''
  return new MyKafkaError('CORRUPT_MESSAGE', `${segment.logPath} is damaged at offset ${offset}${where}`)
}
