import { MyKafkaError } from '../errors.js'
import { FIND, type NativeSegment, RANGE } from '../native/native.js'
import type { FileSlice, SliceTracker } from './file-slice.js'
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

/** Finds the ranges of segment files that answer a read. No loop over records. */
export class LogReader {
  readonly #segments: SegmentList
  readonly #tracker: SliceTracker
  readonly #out = new Float64Array(RANGE.fields)
  readonly #onVerified: (segment: NativeSegment) => void
  /** The last read of each segment that had to wait. They take turns: one segment holds one thread at the most. */
  readonly #cold = new WeakMap<NativeSegment, Promise<unknown>>()

  /** @param onVerified - called behind a read that had to check a segment's bytes: its damages may have grown */
  constructor(segments: SegmentList, tracker: SliceTracker, onVerified: (segment: NativeSegment) => void) {
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
    const result = emptyResult()
    if (request.offset >= request.upperBound) return result
    const index = this.#segments.indexOf(request.offset)
    const segment = this.#segments.at(index) as NativeSegment
    const found = segment.findRange(request.offset, request.maxBytes, request.upperBound, this.#out)
    if (found === FIND.wouldBlock) return this.#readCold(request, result, segment)
    if (this.#take(result, segment, request, found, this.#out)) this.#goOn(request, result, index + 1)
    return result
  }

  async #readCold(request: ReadRequest, result: ReadResult, segment: NativeSegment): Promise<ReadResult> {
    const out = new Float64Array(RANGE.fields)
    const before = this.#cold.get(segment) ?? Promise.resolve()
    const finding = before.then(() => segment.findRangeAsync(request.offset, request.maxBytes, request.upperBound, out))
    this.#cold.set(
      segment,
      finding.catch(() => {}),
    )
    const found = await finding
    this.#onVerified(segment)
    if (this.#take(result, segment, request, found, out)) {
      this.#goOn(request, result, this.#segments.indexOf(result.lastOffset) + 1)
    }
    return result
  }

  /** Adds what was found. Returns whether the segment is read to its end and there is room for more. */
  #take(result: ReadResult, segment: NativeSegment, request: ReadRequest, found: number, out: Float64Array): boolean {
    if (found === FIND.corrupt) throw corrupt(segment, request.offset)
    if (found !== FIND.found) {
      throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `offset ${request.offset} is not in ${segment.logPath}`)
    }
    const length = out[RANGE.length] as number
    if (length === 0) return false
    this.#add(result, segment, out)
    return result.lastOffset + 1 >= segment.nextOffset() && result.bytes < request.maxBytes
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

  /** Goes on into the next segments, as far as they answer without waiting. */
  #goOn(request: ReadRequest, result: ReadResult, firstIndex: number): void {
    const out = this.#out
    for (let index = firstIndex; result.slices.length < MAX_SLICES; index++) {
      const segment = this.#segments.at(index)
      const offset = result.lastOffset + 1
      const room = request.maxBytes - result.bytes
      // Offsets that are missing between two segments are damage: the next read says so.
      if (segment === undefined || room <= 0 || offset !== segment.baseOffset || offset >= request.upperBound) return
      try {
        if (segment.findRange(offset, room, request.upperBound, out) !== FIND.found) return
        const length = out[RANGE.length] as number
        if (length === 0 || length > room) return
        this.#add(result, segment, out)
      } catch {
        // Its file could not be read or kept open: what there is answers, and the next read says why.
        return
      }
      if (result.lastOffset + 1 < segment.nextOffset()) return
    }
  }
}

function corrupt(segment: NativeSegment, offset: number): MyKafkaError {
  const damage = segment.damages().find((range) => range.firstOffset <= offset && offset < range.nextOffset)
  const where = damage ? `, offsets ${damage.firstOffset} to ${damage.nextOffset - 1}` : ''
  return new MyKafkaError('CORRUPT_MESSAGE', `${segment.logPath} is damaged at offset ${offset}${where}`)
}
