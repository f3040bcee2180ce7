import type { Line } from './format.js'
import type { Timeline } from './timeline.js'
import type { Findings, Origin } from './violations.js'

/** At a time it was known that the log went up to here, or something went by where it ended. */
interface Event {
  readonly time: number
  readonly end: number
  readonly origin: Origin | undefined
  readonly test: string | null
}

/**
 * Real time: what is asked behind an answer finds the log as the answer had it, or longer. So a record that was sent
 * when another was acknowledged has a higher offset, a read behind an acknowledgement sees up to it, and no log start
 * goes back.
 */
export class EndsCheck {
  readonly #ends: Event[] = []
  readonly #starts: Event[] = []
  /** The highest log start that anybody heard of. */
  highestStart = 0

  /** From `time` on the log is known to go up to `end`. */
  known(time: number | null, end: number, origin: Origin): void {
    if (time !== null) this.#ends.push({ time, end, origin, test: null })
  }

  /** What was asked at `time` says that the log went up to `end`, and no further. */
  expected(time: number, end: number, what: string, origin: Origin): void {
    this.#ends.push({ time, end, origin, test: what })
  }

  add(line: Line, origin: Origin): void {
    if (line.result !== 'ok') return
    if (line.op === 'trim') this.#started(line.end, line.to, origin)
    if (line.op !== 'fetch' && line.op !== 'ends') return
    const { begin, end, logStart, logEnd } = line
    if (logStart !== undefined) {
      this.#starts.push({ time: begin, end: logStart, origin, test: 'the log began' })
      this.#started(end, logStart, origin)
    }
    if (logEnd !== undefined) {
      this.expected(begin, logEnd, 'the log ended', origin)
      this.known(end, logEnd, origin)
    }
    if (line.op !== 'fetch' || line.records === undefined) return
    const [first] = line.records
    const { from, next = from } = line
    if (first === undefined && next === from) this.expected(begin, from, 'nothing was to be read', origin)
    if (first !== undefined) this.#starts.push({ time: begin, end: first[0], origin, test: 'a record was read' })
  }

  /** @param safeEnd - up to where the log must go behind each losing fault */
  finish(findings: Findings, timeline: Timeline, safeEnd: (era: number) => number): void {
    const cuts = timeline.losing.map(({ end }, at) => ({ time: end, end: safeEnd(at + 1) }))
    const sentence = (what: string, at: number, known: number): string =>
      `${what} at ${at}, when it was known to go up to ${known}`
    this.#sweep(this.#ends, cuts, ({ test, end, origin }, known, by) => {
      const kind = test?.startsWith('sent') === true ? 'real time' : 'went back'
      findings.add(kind, sentence(`${test}`, end, known), origin, by)
    })
    this.#sweep(this.#starts, [], ({ test, end, origin }, known, by) => {
      findings.add('went back', `${test} at ${end}, when the log was known to begin at ${known}`, origin, by)
    })
  }

  #started(time: number | null, start: number, origin: Origin): void {
    this.highestStart = Math.max(this.highestStart, start)
    if (time !== null) this.#starts.push({ time, end: start, origin, test: null })
  }

  #sweep(
    events: Event[],
    cuts: readonly { time: number; end: number }[],
    fails: (event: Event, known: number, by: Origin | undefined) => void,
  ): void {
    // At the same time nothing is before the other.
    events.sort((a, b) => a.time - b.time || Number(a.test === null) - Number(b.test === null))
    let known = 0
    let by: Origin | undefined
    let nextCut = 0
    for (const event of events) {
      for (let cut = cuts[nextCut]; cut !== undefined && cut.time <= event.time; cut = cuts[++nextCut]) {
        known = Math.min(known, cut.end)
        by = undefined
      }
      if (event.test !== null) {
        if (event.end < known) fails(event, known, by)
      } else if (event.end > known) {
        known = event.end
        by = event.origin
      }
    }
  }
}
