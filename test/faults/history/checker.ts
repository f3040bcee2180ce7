/**
 * Holds the histories of all clients against what a log promises (format.ts says what they hold, violations.ts what
 * can be wrong). Nothing is asked of a broker. The lines are gone through once to see what they are about, then once for
 * every few partitions: what is in memory is what these need.
 *
 * @module
 */
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { EVERYWHERE, type Fault, type Line, subjectOf } from './format.js'
import { type Count, PartitionCheck } from './partition-check.js'
import { Timeline } from './timeline.js'
import type { Violation } from './violations.js'

/** One client's history. */
export interface Source {
  readonly name: string
  lines(): AsyncIterable<string> | Iterable<string>
}

export interface Verdict {
  readonly lines: number
  readonly partitions: number
  /** By what was asked for: 'acks=1', 'acks=all'. */
  readonly counts: ReadonlyMap<string, Count>
  /** Records that were repeated without idempotence, and are there more than once. */
  readonly duplicates: number
  /** A few of each kind and partition. */
  readonly violations: readonly Violation[]
  /** All of them that are not a loss. */
  readonly wrong: number
}

export interface CheckOptions {
  /** Partitions of which the lines are in memory together. Default 16. */
  readonly atOnce?: number
}

/** The files of a directory that end in `.jsonl`. */
export async function historiesIn(directory: string): Promise<Source[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'))
  return names.sort().map((name) => historyFile(join(directory, name)))
}

export function historyFile(path: string): Source {
  const lines = (): AsyncIterable<string> =>
    createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  return { name: basename(path), lines }
}

/** Checks histories of the same broker. */
export async function check(sources: readonly Source[], { atOnce = 16 }: CheckOptions = {}): Promise<Verdict> {
  const { lines, partitions, timeline } = await survey(sources)
  const counts = new Map<string, Count>()
  const violations: Violation[] = []
  let [duplicates, wrong] = [0, 0]
  for (let at = 0; at < partitions.length; at += atOnce) {
    const checks = new Map(partitions.slice(at, at + atOnce).map((on) => [on, new PartitionCheck(on, timeline)]))
    for (const { name: file, lines: read } of sources) {
      let line = 0
      for await (const text of read()) {
        line++
        checks.get(subjectOf(text))?.add(JSON.parse(text) as Line, { file, line })
      }
    }
    for (const each of checks.values()) {
      each.finish()
      addCounts(counts, each.counts)
      violations.push(...each.findings.violations)
      duplicates += each.duplicates
      for (const [kind, count] of each.findings.counts) if (kind !== 'lost') wrong += count
    }
  }
  return { lines, partitions: partitions.length, counts, duplicates, violations, wrong }
}

/** A violation as it is printed: what, and the lines themselves. */
export async function show({ on, kind, what, lines }: Violation, sources: readonly Source[]): Promise<string> {
  const shown = [`${on}: ${kind}: ${what}`]
  for (const { file, line } of lines) {
    const source = sources.find(({ name }) => name === file)
    shown.push(`  ${file}:${line}  ${source === undefined ? '' : shortened(await lineOf(source, line))}`)
  }
  return shown.join('\n')
}

async function survey(
  sources: readonly Source[],
): Promise<{ lines: number; partitions: string[]; timeline: Timeline }> {
  const subjects = new Set<string>()
  const faults: Fault[] = []
  let lines = 0
  for (const source of sources) {
    for await (const text of source.lines()) {
      lines++
      const subject = subjectOf(text)
      if (subject === EVERYWHERE) faults.push(JSON.parse(text) as Fault)
      else subjects.add(subject)
    }
  }
  return { lines, partitions: [...subjects].sort(), timeline: new Timeline(faults) }
}

function addCounts(sums: Map<string, Count>, counts: ReadonlyMap<string, Count>): void {
  for (const [mode, { acknowledged, lost }] of counts) {
    const sum = sums.get(mode) ?? { acknowledged: 0, lost: 0 }
    sums.set(mode, { acknowledged: sum.acknowledged + acknowledged, lost: sum.lost + lost })
  }
}

async function lineOf(source: Source, wanted: number): Promise<string> {
  let line = 0
  for await (const text of source.lines()) if (++line === wanted) return text
  return ''
}

function shortened(line: string): string {
  return line.length <= 300 ? line : `${line.slice(0, 280)}… (${line.length} characters)`
}
