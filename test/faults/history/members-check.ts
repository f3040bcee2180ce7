import type { Commit, Fetch, Line, Own } from './format.js'
import type { Findings, Origin } from './violations.js'

interface Given {
  readonly time: number
  readonly from: number
  readonly to: number
}

interface Done {
  readonly time: number
  readonly offset: number
  readonly origin: Origin
}

interface Group {
  readonly owners: Map<number, { readonly member: string; readonly begin: number; readonly origin: Origin }>
  readonly commits: { readonly begin: number; readonly generation: number; readonly origin: Origin }[]
  readonly given: Given[]
  readonly done: Done[]
}

/** A partition has one owner in a generation; no commit of an earlier one is taken; nothing below a commit was skipped. */
export class MembersCheck {
  readonly #groups = new Map<string, Group>()
  readonly #conflicts = new Map<string, [Origin, Origin][]>()

  add(line: Line, origin: Origin): void {
    if (line.op === 'fetch') this.#fetched(line)
    if (line.op === 'commit') this.#committed(line, origin)
    if (line.op === 'own') this.#owned(line, origin)
  }

  /** @param isExcused - whether a record may be gone, so that no member needs to have been given it */
  finish(findings: Findings, isExcused: (offset: number) => boolean): void {
    for (const [name, group] of this.#groups) {
      for (const [one, other] of this.#conflicts.get(name) ?? []) {
        findings.add('owners', `two members of ${name} own it in one generation`, one, other)
      }
      this.#checkFences(name, group, findings)
      if (group.given.length > 0) this.#checkSkipped(name, group, findings, isExcused)
    }
  }

  #group(name: string): Group {
    const found = this.#groups.get(name)
    if (found !== undefined) return found
    const group: Group = { owners: new Map(), commits: [], given: [], done: [] }
    this.#groups.set(name, group)
    return group
  }

  #owned({ group: name, generation, member, begin }: Own, origin: Origin): void {
    const { owners } = this.#group(name)
    const other = owners.get(generation)
    if (other === undefined || (other.member === member && begin < other.begin)) {
      owners.set(generation, { member, begin, origin })
    } else if (other.member !== member) {
      this.#conflicts.set(name, [...(this.#conflicts.get(name) ?? []), [other.origin, origin]])
    }
  }

  #fetched({ group, result, end, records = [] }: Fetch): void {
    const [first, last] = [records[0]?.[0], records.at(-1)?.[0]]
    if (group === undefined || result !== 'ok' || first === undefined || last === undefined) return
    this.#group(group).given.push({ time: end as number, from: first, to: last + 1 })
  }

  #committed({ group: name, result, begin, offset, generation }: Commit, origin: Origin): void {
    if (result !== 'ok') return
    const group = this.#group(name)
    group.done.push({ time: begin, offset, origin })
    if (generation !== undefined) group.commits.push({ begin, generation, origin })
  }

  #checkFences(name: string, { owners, commits }: Group, findings: Findings): void {
    for (const { begin, generation, origin } of commits) {
      for (const [newer, owner] of owners) {
        if (newer <= generation || owner.begin >= begin) continue
        findings.add('owners', `${name}: a commit of generation ${generation} behind ${newer}`, origin, owner.origin)
        break
      }
    }
  }

  /** Goes through time: the offsets from 0 on that members were given, without a hole. */
  #checkSkipped(
    name: string,
    { given, done }: Group,
    findings: Findings,
    isExcused: (offset: number) => boolean,
  ): void {
    given.sort((a, b) => a.time - b.time)
    done.sort((a, b) => a.time - b.time)
    let covered = 0
    let next = 0
    let ahead: Given[] = []
    for (const { time, offset, origin } of done) {
      for (let each = given[next]; each !== undefined && each.time <= time; each = given[++next]) ahead.push(each)
      for (let grew = true; grew; ) {
        grew = false
        while (covered < offset && isExcused(covered)) covered++
        for (const { from, to } of ahead) {
          if (from > covered || to <= covered) continue
          covered = to
          grew = true
        }
      }
      ahead = ahead.filter(({ to }) => to > covered)
      if (covered >= offset) continue
      findings.add('skipped', `${name} committed ${offset}, and nobody was given ${covered}`, origin)
      covered = offset
    }
  }
}
