import type { Findings, Origin } from './violations.js'

/** What is known of one offset. */
export interface Place {
  readonly digest: string
  readonly origin: Origin
  /** When the last read that found it was asked for; -1: it is known by its acknowledgement alone. */
  seen: number
}

/** What each offset held: one record for ever, or until a fault that may cut the log. */
export class Places {
  /** By era. */
  readonly #eras: Map<number, Place>[] = []
  readonly #findings: Findings

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** An offset holds a record: so says an acknowledgement, or a read that was asked for at `seen`. */
  claim(era: number, offset: number, digest: string, origin: Origin, seen = -1): void {
    const places = this.era(era)
    const place = places.get(offset)
    if (place === undefined) places.set(offset, { digest, origin, seen })
    else if (place.digest === digest) place.seen = Math.max(place.seen, seen)
    else this.#findings.add('altered', `offset ${offset} holds ${place.digest}, then ${digest}`, place.origin, origin)
  }

  era(era: number): Map<number, Place> {
    for (let each = this.#eras.length; each <= era; each++) this.#eras.push(new Map())
    return this.#eras[era] as Map<number, Place>
  }

  /** By record the offsets that it was read at in an era; none that is known by its acknowledgement alone. */
  found(era: number): Map<string, number[]> {
    const found = new Map<string, number[]>()
    for (const [offset, { digest, seen }] of this.era(era)) {
      if (seen < 0) continue
      const offsets = found.get(digest)
      if (offsets === undefined) found.set(digest, [offset])
      else offsets.push(offset)
    }
    return found
  }

  /**
   * Behind a fault that cuts the log all below a point is as it was, and nothing above it.
   *
   * @param safeEnd - what is below it must be as it was
   */
  checkEras(safeEnd: (era: number) => number): void {
    for (let era = 1; era < this.#eras.length; era++) {
      const [before, after] = [this.era(era - 1), this.era(era)]
      let cutAt: { offset: number; origin: Origin } | null = null
      for (const offset of [...after.keys()].filter((each) => before.has(each)).sort((a, b) => a - b)) {
        const [old, now] = [before.get(offset) as Place, after.get(offset) as Place]
        if (old.digest === now.digest) {
          if (cutAt === null) continue
          const what = `offset ${offset} outlived a cut that took ${cutAt.offset}`
          this.#findings.add('altered', what, now.origin, cutAt.origin)
        } else if (offset < safeEnd(era)) {
          const what = `offset ${offset} held ${old.digest}, on the disk, then ${now.digest}`
          this.#findings.add('altered', what, old.origin, now.origin)
        } else cutAt ??= { offset, origin: now.origin }
      }
    }
  }
}
