import type { Commit, Committed, Line } from './format.js'
import type { Timeline } from './timeline.js'
import type { Findings, Origin } from './violations.js'

interface Write {
  readonly offset: number
  readonly begin: number
  /** When it was over: nothing that began later can be overtaken by it. */
  readonly end: number
  /** By when it is known to have happened. */
  by: number
  readonly refused: boolean
  readonly origin: Origin
}

interface Read {
  readonly offset: number | null
  readonly begin: number
  readonly end: number
  readonly origin: Origin
}

/** The offset of each group is a register: who reads it behind an acknowledged commit gets that, or a later one. */
export class OffsetsCheck {
  readonly #writes = new Map<string, Write[]>()
  readonly #reads = new Map<string, Read[]>()

  add(line: Line, origin: Origin): void {
    if (line.op === 'commit') this.#write(line, origin)
    if (line.op === 'committed' && line.result === 'ok') this.#read(line, origin)
  }

  finish(findings: Findings, timeline: Timeline): void {
    for (const [group, reads] of this.#reads) this.#check(group, reads, findings, timeline)
  }

  #write({ group, offset, begin, end, result }: Commit, origin: Origin): void {
    const over = end ?? Number.POSITIVE_INFINITY
    const by = result === 'ok' ? over : Number.POSITIVE_INFINITY
    push(this.#writes, group, { offset, begin, end: over, by, refused: result === 'no', origin })
  }

  #read({ group, offset = null, begin, end }: Committed, origin: Origin): void {
    push(this.#reads, group, { offset, begin, end: end ?? Number.POSITIVE_INFINITY, origin })
  }

  #check(group: string, reads: Read[], findings: Findings, timeline: Timeline): void {
    const writes = this.#writes.get(group) ?? []
    const lostBefore = timeline.losing.at(-1)?.end ?? Number.NEGATIVE_INFINITY
    // In the order of their ends: what one has seen has happened for those behind it.
    for (const read of reads.sort((a, b) => a.end - b.end)) {
      const happened = writes.filter(({ by }) => by < read.begin && (by > lostBefore || read.begin < lostBefore))
      const last = happened.reduce<Write | undefined>(
        (a, b) => (a === undefined || b.begin > a.begin ? b : a),
        undefined,
      )
      if (read.offset === null) {
        if (last !== undefined) findings.add('commit', `${group} has no offset`, read.origin, last.origin)
        continue
      }
      const candidates = writes.filter(({ offset, begin, refused }) => {
        return offset === read.offset && begin < read.end && !refused
      })
      const possible = candidates.filter(({ end }) => last === undefined || end >= last.begin)
      const [only] = possible
      if (only === undefined) {
        const why = candidates.length > 0 ? 'committed before a later one' : 'which nobody committed'
        findings.add('commit', `${group} has ${read.offset}, ${why}`, read.origin, last?.origin, candidates[0]?.origin)
      } else if (possible.length === 1) only.by = Math.min(only.by, read.end)
    }
  }
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
