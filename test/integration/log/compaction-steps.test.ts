/**
 * A compaction that ends behind any of its file operations: the next start finds the old segments or the new one, never
 * both and never neither. Node's file operations are recorded: before each, a copy of the directory is taken.
 */
import fs from 'node:fs'
import { readdir } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cleaningOptions, type Format, openKeyedLog, readAll, stateOf, write } from '../../support/keyed-log.js'
import { seededRandom } from '../../support/random.js'
import { scaled } from '../../support/scale.js'
import { temporaryDirectory } from '../../support/temporary.js'

type Recorder = (operation: string, path: string) => void
type Operations = Record<string, (...args: unknown[]) => unknown>

const recording = { record: null as Recorder | null }
/** Node's own, which nobody is told of. */
const { cpSync, existsSync, linkSync, renameSync } = { ...fs }

/** Has these functions tell of themselves first, whoever imported them. Returns what ends that. */
function telling(module: object, names: readonly string[]): () => void {
  const functions = module as Operations
  const own = names.map((name) => [name, functions[name] as Operations[string]] as const)
  for (const [name, operation] of own) {
    functions[name] = (...args) => {
      recording.record?.(name, String(args[0]))
      return operation(...args)
    }
  }
  return () => {
    for (const [name, operation] of own) functions[name] = operation
  }
}

const silences: (() => void)[] = []

beforeAll(() => {
  silences.push(
    telling(fs.promises, ['rename', 'rm', 'unlink', 'open', 'writeFile', 'link']),
    telling(fs, ['renameSync', 'rmSync', 'unlinkSync', 'linkSync', 'openSync', 'writeFileSync']),
  )
  syncBuiltinESMExports()
})

afterEach(() => {
  recording.record = null
})

afterAll(() => {
  for (const silence of silences) silence()
  syncBuiltinESMExports()
})

async function fill(directory: string, recordFormat: Format) {
  const log = await openKeyedLog(directory, recordFormat, { segmentBytes: 2048 })
  for (let i = 0; i < 200; i += 2) {
    const record = (k: number) => ({
      key: `key-${(k * 7) % 60}`,
      value: k % 11 === 0 ? null : `${k} ${'.'.repeat(40)}`,
    })
    await write(log, [record(i), record(i + 1)])
  }
  return log
}

describe.each(['mykafka', 'kafka'] as const)('a compaction of %s entries that is interrupted', (recordFormat) => {
  it('leaves the old segments or the new one, behind each file operation', async () => {
    const directory = await temporaryDirectory()
    const log = await fill(directory, recordFormat)
    const bases = log.segments().map(({ baseOffset }) => baseOffset)
    const before = await readAll(log)
    await log.flush()
    const state = { ...stateOf(log), clean: false }
    const copies: { operation: string; directory: string }[] = []
    const parent = await temporaryDirectory()
    const copy = (operation: string): void => {
      const to = join(parent, String(copies.length))
      recording.record = null
      cpSync(directory, to, { recursive: true })
      recording.record = record
      copies.push({ operation, directory: to })
    }
    const record: Recorder = (operation, path) => {
      if (path.startsWith(directory)) copy(`before ${operation} of ${path.slice(directory.length)}`)
    }
    recording.record = record
    const report = await log.compaction.clean(cleaningOptions())
    copy('at the end')
    recording.record = null
    const after = await readAll(log)
    const groups = log.segments().map(({ baseOffset }) => baseOffset)
    await log.close()
    expect(report?.segmentsAfter).toBeGreaterThan(1)
    expect(copies.length).toBeGreaterThan(20)

    const part = (records: typeof before, index: number) => {
      const end = groups[index + 1] ?? Number.POSITIVE_INFINITY
      return records.filter(({ offset }) => offset >= (groups[index] as number) && offset < end)
    }
    const seen = new Set<string>()
    for (const { operation, directory: copied } of copies) {
      const opened = await openKeyedLog(copied, recordFormat, { segmentBytes: 2048, state })
      const found = await readAll(opened)
      const kinds = groups.map((base, index) => {
        const records = JSON.stringify(part(found, index))
        const [old, fresh] = [JSON.stringify(part(before, index)), JSON.stringify(part(after, index))]
        const end = groups[index + 1] ?? Number.POSITIVE_INFINITY
        const present = opened.segments().filter(({ baseOffset }) => baseOffset >= base && baseOffset < end)
        if (records === old && present.length === bases.filter((b) => b >= base && b < end).length) return 'old'
        return records === fresh && present.length === 1 ? 'new' : `neither, ${operation}`
      })
      expect(kinds.filter((kind) => kind.startsWith('neither'))).toEqual([])
      for (const kind of kinds) seen.add(kind)
      expect(await opened.verify(), operation).toEqual([])
      const names = await readdir(copied)
      expect(
        names.filter((name) => /cleaned|swap|tmp|deleted/.test(name)),
        operation,
      ).toEqual([])
      const logs = new Set(names.filter((name) => name.endsWith('.log')).map((name) => name.slice(0, 20)))
      expect(names.filter((name) => /index|compacted/.test(name) && !logs.has(name.slice(0, 20)))).toEqual([])
      await opened.close()
    }
    expect([...seen].sort()).toEqual(['new', 'old'])
  })

  it('leaves the new segment, whichever of its last renames reach the disk', async () => {
    const random = seededRandom(7)
    const directory = await temporaryDirectory()
    const log = await fill(directory, recordFormat)
    const state = { ...stateOf(log), recoveryPoint: log.logEndOffset, clean: false }
    await log.flush()
    let decided: string | null = null
    const moves: [from: string, to: string][] = []
    const parent = await temporaryDirectory()
    recording.record = (operation, path) => {
      if (!path.startsWith(directory) || !operation.endsWith('Sync')) return
      // The first of one replacement's renames: all before it is on the disk.
      if (decided === null) {
        decided = join(parent, 'decided')
        recording.record = null
        cpSync(directory, decided, { recursive: true })
      }
    }
    await log.compaction.clean(cleaningOptions())
    const after = await readAll(log)
    const end = log.segments()[1]?.baseOffset ?? 0
    await log.close()
    expect(decided).not.toBeNull()
    const names = await readdir(decided ?? '')
    const swap = names.find((name) => name.includes('.swap-')) ?? ''
    const base = swap.slice(0, 20)
    for (const name of names) {
      const offset = Number(name.slice(0, 20))
      if (!/\.(log|index|timeindex|compacted)$/.test(name) || offset >= end) continue
      if (name.endsWith('compacted') && offset === Number(base)) continue
      moves.push([name, `${name}.deleted`])
    }
    for (let round = 0; round < scaled(5, 20); round++) {
      const copied = join(parent, `round-${round}`)
      cpSync(decided ?? '', copied, { recursive: true })
      for (const [from, to] of moves) if (random.next() < 0.5) renameSync(join(copied, from), join(copied, to))
      const replaced = join(copied, `${base}.log`)
      if (!existsSync(replaced) && random.next() < 0.7) linkSync(join(copied, swap), replaced)
      const opened = await openKeyedLog(copied, recordFormat, { segmentBytes: 2048, state })
      const found = (await readAll(opened)).filter(({ offset }) => offset < end)
      expect(found).toEqual(after.filter(({ offset }) => offset < end))
      expect(opened.segments().filter(({ baseOffset }) => baseOffset < end)).toHaveLength(1)
      await opened.close()
    }
  })
})
