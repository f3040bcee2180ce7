import { EndsCheck } from './ends-check.js'
import type { Fetch, Line, Made, Produce } from './format.js'
import { MembersCheck } from './members-check.js'
import { OffsetsCheck } from './offsets-check.js'
import { Places } from './places.js'
import { acknowledgedAt, Sends, type Sent, type SentRecord } from './sends.js'
import type { Timeline } from './timeline.js'
import { Findings, type Origin } from './violations.js'

/** By what was asked for: 'acks=1', 'acks=all'. */
export interface Count {
  /** Records. */
  acknowledged: number
  /** Those that are gone, whether that was allowed or not. */
  lost: number
}

/** Codes that no fault of a history excuses. */
const INEXCUSABLE = new Set(['CORRUPT_MESSAGE', 'UNKNOWN_SERVER_ERROR', 'OFFSET_METADATA_TOO_LARGE'])
const ALL = -1

interface Gap {
  readonly from: number
  readonly to: number
  readonly origin: Origin
}

/** All that the histories say about one partition, and whether it holds together. Lines come in the order of each file. */
export class PartitionCheck {
  readonly findings: Findings
  readonly counts = new Map<string, Count>()
  /** Records that are there more than once, with leave. */
  duplicates = 0
  readonly #timeline: Timeline
  readonly #sends = new Sends()
  readonly #places: Places
  readonly #ends = new EndsCheck()
  readonly #offsets = new OffsetsCheck()
  readonly #members = new MembersCheck()
  readonly #readers = new Map<string, { last: number; origin: Origin }>()
  readonly #outOfRange: { readonly begin: number; readonly from: number; readonly origin: Origin }[] = []
  #gaps: Gap[] = []
  #cleanup: Made['cleanup'] = 'keep'
  #isRemoved = false
  #highestTrim = 0
  /** By era, up to where the log must go on from the one before. */
  #safeEnds: number[] = []

  constructor(on: string, timeline: Timeline) {
    this.findings = new Findings(on)
    this.#places = new Places(this.findings)
    this.#timeline = timeline
  }

  add(line: Line, origin: Origin): void {
    if (line.why !== undefined && INEXCUSABLE.has(line.why)) this.findings.add('error', line.why, origin)
    if (line.op === 'made') this.#cleanup = line.cleanup
    if (line.op === 'trim' && line.result !== 'no') this.#highestTrim = Math.max(this.#highestTrim, line.to)
    if (line.op === 'removed' && line.result !== 'no') this.#isRemoved = true
    if (line.op === 'produce') this.#produced(line, origin)
    if (line.op === 'fetch') this.#fetched(line, origin)
    if (line.op === 'committed' && line.result === 'ok' && line.offset !== null && line.offset !== undefined) {
      // Groups commit what they have read: the data goes up to there.
      this.#ends.known(line.end, line.offset, origin)
    }
    this.#ends.add(line, origin)
    this.#offsets.add(line, origin)
    this.#members.add(line, origin)
  }

  finish(): void {
    this.#safeEnds = Array.from({ length: this.#timeline.lastEra + 1 }, (_, era) => this.#safeEnd(era))
    const safeEnd = (era: number): number => this.#safeEnds[era] ?? 0
    this.#places.checkEras(safeEnd)
    const { highestStart } = this.#ends
    if (this.#cleanup === 'keep' && highestStart > this.#highestTrim) {
      this.findings.add('lost', `the log begins at ${highestStart}, ${this.#highestTrim} was asked for at the most`)
    }
    for (const { begin, from, origin } of this.#outOfRange) {
      if (from >= highestStart) this.#ends.expected(begin, from - 1, 'the log ended', origin)
    }
    this.#checkGaps()
    const newest = this.#newestOfKeys()
    const found = this.#places.found(this.#timeline.lastEra)
    this.#checkFound()
    for (const sent of this.#sends.all) {
      this.#checkKept(sent, newest)
      this.#checkTime(sent, found)
    }
    for (const stream of this.#sends.byStream()) this.#checkOrder(stream, found)
    this.#ends.finish(this.findings, this.#timeline, safeEnd)
    this.#offsets.finish(this.findings, this.#timeline)
    this.#members.finish(this.findings, (offset) => this.#mayBeGone(offset, newest))
  }

  #produced(line: Produce, origin: Origin): void {
    this.#sends.add(line, origin)
    if (line.result !== 'ok' || line.offset === undefined || line.end === null) return
    const { offset } = line
    const era = this.#timeline.eraAt(line.end)
    for (const [index, [digest]] of line.records.entries()) this.#places.claim(era, offset + index, digest, origin)
    this.#ends.known(line.end, offset + line.records.length, origin)
    const count = this.#count(line.acks)
    count.acknowledged += line.records.length
  }

  #fetched(line: Fetch, origin: Origin): void {
    const { from, reader, begin, end, records } = line
    if (line.why === 'OFFSET_OUT_OF_RANGE') this.#outOfRange.push({ begin, from, origin })
    if (line.result !== 'ok' || records === undefined) return
    const era = this.#timeline.eraAt(begin)
    const last = this.#readers.get(reader)
    let next = last === undefined ? from : last.last + 1
    for (const [offset, digest] of records) {
      if (offset < next) {
        const what = `${reader} was given ${offset}, where ${next} was the earliest to come`
        this.findings.add('read back', what, origin, last?.origin)
      }
      if (offset > next) this.#gaps.push({ from: next, to: offset, origin })
      this.#places.claim(era, offset, digest, origin, begin)
      next = offset + 1
    }
    // Batches of a compacted log may have lost their last records, or all of them.
    if (line.next !== undefined && line.next > next) {
      this.#gaps.push({ from: next, to: line.next, origin })
      next = line.next
    }
    if (next === from) return
    this.#readers.set(reader, { last: next - 1, origin })
    this.#ends.known(end, next, origin)
  }

  #count(acks: number): Count {
    const mode = acks === ALL ? 'acks=all' : `acks=${acks}`
    const count = this.counts.get(mode) ?? { acknowledged: 0, lost: 0 }
    this.counts.set(mode, count)
    return count
  }

  /** Behind the last record that was acknowledged as synced before an era. */
  #safeEnd(era: number): number {
    const fault = this.#timeline.losing[era - 1]
    if (fault === undefined) return 0
    return this.#sends.all
      .filter(({ acks, offset, end }) => acks === ALL && offset !== null && end < fault.end)
      .reduce((most, { offset, digests }) => Math.max(most, (offset as number) + digests.length), 0)
  }

  /** Of each key of a compacted log the highest offset that it is known to have had. */
  #newestOfKeys(): Map<string, number> {
    const newest = new Map<string, number>()
    if (this.#cleanup !== 'compact') return newest
    for (const [offset, { digest }] of this.#places.era(this.#timeline.lastEra)) {
      const key = this.#sends.keyOf(digest)
      if (key !== null && offset > (newest.get(key) ?? -1)) newest.set(key, offset)
    }
    return newest
  }

  /** Whether a record that was at an offset need not be there any more. */
  #mayBeGone(offset: number, newest: ReadonlyMap<string, number>): boolean {
    if (offset < this.#ends.highestStart) return true
    if (this.#cleanup !== 'compact') return false
    const place = this.#places.era(this.#timeline.lastEra).get(offset)
    const key = place === undefined ? null : this.#sends.keyOf(place.digest)
    // Nobody knows what was there: it was not acknowledged.
    return key === null || (newest.get(key) as number) > offset
  }

  #checkGaps(): void {
    const newest = this.#newestOfKeys()
    for (const { from, to, origin } of this.#gaps) {
      for (let offset = from; offset < to; offset++) {
        if (this.#mayBeGone(offset, newest)) continue
        this.findings.add('gap', `${offset} is missing between ${from} and ${to}`, origin)
        break
      }
    }
    this.#gaps = []
  }

  /** What was found was sent, and is there as often as it may be. */
  #checkFound(): void {
    for (let era = 0; era <= this.#timeline.lastEra; era++) {
      for (const [digest, offsets] of this.#places.found(era)) this.#checkRecord(digest, offsets, era)
    }
  }

  #checkRecord(digest: string, offsets: readonly number[], era: number): void {
    const origin = this.#places.era(era).get(offsets[0] as number)?.origin
    const sends = this.#sends.of(digest)
    if (sends.length === 0) {
      this.findings.add('never sent', `offset ${offsets[0]} holds ${digest}`, origin)
      return
    }
    const acknowledged = new Set(sends.map(acknowledgedAt))
    const others = offsets.filter((offset) => !acknowledged.has(offset))
    if (others.length === 0) return
    const possible = sends.filter(({ sent }) => sent.result !== 'no')
    if (possible.some(({ sent }) => sent.retries && !sent.idempotent)) {
      this.duplicates += others.length - Number(acknowledged.has(null))
      return
    }
    const undecided = possible.filter(({ sent }) => sent.result === 'unknown').length
    if (others.length <= undecided) return
    const lines = sends.slice(0, 3).map(({ sent }) => sent.origin)
    const kind = possible.length === 0 ? 'refused' : 'twice'
    this.findings.add(kind, `${digest} is at ${offsets.join(', ')}`, origin, ...lines)
  }

  /** What was acknowledged was found at its offset by a read behind that, or may be gone. */
  #checkKept(sent: Sent, newest: ReadonlyMap<string, number>): void {
    if (sent.offset === null || sent.result !== 'ok') return
    const { lastEra, losing } = this.#timeline
    const now = this.#places.era(lastEra)
    const isOld = this.#timeline.eraAt(sent.end) < lastEra
    for (const [index, digest] of sent.digests.entries()) {
      const offset = sent.offset + index
      const place = now.get(offset)
      const isThere = place?.digest === digest && place.seen >= 0 && (isOld || place.seen >= sent.end)
      if (isThere || this.#isRemoved || offset < this.#ends.highestStart) continue
      const key = this.#sends.keyOf(digest)
      if (this.#cleanup === 'compact' && key !== null && (newest.get(key) ?? -1) > offset) continue
      this.#count(sent.acks).lost++
      const mayLose = isOld && sent.acks !== ALL && offset >= this.#safeFrom(sent.end, losing.length)
      if (!mayLose)
        this.findings.add('lost', `${digest}, acknowledged at ${offset}, was read by nobody since`, sent.origin)
    }
  }

  /** The lowest offset that the faults behind a time may have taken. */
  #safeFrom(time: number, eras: number): number {
    let safe = Number.POSITIVE_INFINITY
    for (let era = this.#timeline.eraAt(time) + 1; era <= eras; era++) {
      safe = Math.min(safe, this.#safeEnds[era] as number)
    }
    return safe
  }

  /** Everywhere that it is, it is behind all that was known when it was sent. */
  #checkTime(sent: Sent, found: ReadonlyMap<string, readonly number[]>): void {
    const first = this.#firstOffset(sent, 0, found)
    if (first === null) return
    const what = sent.result === 'ok' ? 'sent and acknowledged' : 'sent, and found'
    this.#ends.expected(sent.begin, first, what, sent.origin)
  }

  /** Where a record of a request came first, as far as can be told from others like it. */
  #firstOffset(sent: Sent, index: number, found: ReadonlyMap<string, readonly number[]>): number | null {
    const digest = sent.digests[index] as string
    const acknowledged = sent.offset === null ? null : sent.offset + index
    const like: readonly SentRecord[] = this.#sends.of(digest)
    if (like.length > 1) return acknowledged
    const offsets = found.get(digest) ?? []
    const all = acknowledged === null ? offsets : [...offsets, acknowledged]
    return all.length === 0 ? null : Math.min(...all)
  }

  /** The records of a producer come in the order in which it sent them, by the first appearance of each. */
  #checkOrder(stream: readonly Sent[], found: ReadonlyMap<string, readonly number[]>): void {
    let last = -1
    let before: Sent | undefined
    for (const sent of stream) {
      if (sent.result === 'no' || (sent.result === 'unknown' && !sent.idempotent)) continue
      // What was there twice may have lost its first appearance to the other.
      if (this.#cleanup === 'compact' && sent.retries && !sent.idempotent) continue
      for (let index = 0; index < sent.digests.length; index++) {
        const offset = this.#firstOffset(sent, index, found)
        // Where a fault has cut the log, what was acknowledged above the cut is no place any more.
        const isCut = this.#timeline.lastEra > 0 && !found.has(sent.digests[index] as string)
        if (offset === null || isCut) continue
        if (offset <= last) {
          const what = `${sent.stream} has its ${sent.n} at ${offset}, and ${before?.n} before it at ${last}`
          this.findings.add('order', what, sent.origin, before?.origin)
        }
        last = Math.max(last, offset)
        before = sent
      }
    }
  }
}
