import type { Caught, Harness, RunOptions } from '../harness.js'
import { type Catcher, type HarnessCatcher, MUTANTS, type Mutant, type TestCatcher } from './table.js'
import { MutableTree } from './tree.js'

const PORTION_MS = 900_000

const FAILED = 1

/** Builds each mutant in a copy of the tree, and has the harnesses that should notice look at it. */
export const mutants: Harness = {
  about: 'are faults noticed that are put into the sources on purpose?',
  rounds: { ci: 0, full: 0 },
  async run(options) {
    const { only = '', log, signal } = options
    const chosen = MUTANTS.filter(({ name }) => only.split(',').some((text) => name.includes(text)))
    const failures: string[] = []
    const caught: Caught[] = []
    const missed: string[] = []
    const tree = await MutableTree.copy(signal)
    try {
      log(`builds a copy of the tree in ${tree.directory}`)
      await tree.build()
      const catchers = new Map(chosen.flatMap(({ caughtBy }) => caughtBy.map((each) => [nameOf(each), each])))
      const silent = new Set<string>()
      for (const [name, catcher] of catchers) {
        const noise = await noiseOf(tree, catcher, options)
        if (noise === null) silent.add(name)
        else failures.push(`${name} fails without any mutant, and counts for none:\n${noise}`)
        log(`${name}: ${noise === null ? 'silent without a mutant' : `FAILS without a mutant:\n${noise}`}`)
      }
      for (const mutant of chosen) {
        if (signal.aborted) break
        const result = await look(tree, mutant, silent, options).catch((error: unknown) => String(error))
        if (typeof result !== 'string') caught.push(result)
        else if (!signal.aborted) {
          missed.push(mutant.name)
          failures.push(`${mutant.name}: ${result}`)
        }
        const outcome = typeof result === 'string' ? 'NOT CAUGHT' : `${result.harness}, round ${result.rounds}`
        log(`${mutant.name}: ${outcome}`)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await tree.remove()
    }
    return { rows: [], failures, caught, missed }
  },
}

/** What a catcher says of the sources as they are: one that fails there would notice everything. Null: nothing. */
async function noiseOf(tree: MutableTree, catcher: Catcher, { seed }: RunOptions): Promise<string | null> {
  const { failed, output } = await ('test' in catcher
    ? runTest(tree, catcher.test)
    : runHarness(tree, catcher.harness, seed, Math.min(catcher.rounds, catcher.portion))
  ).catch((error: unknown) => ({ failed: true, output: String(error) }))
  return failed ? output.slice(-4000) : null
}

function nameOf(catcher: Catcher): string {
  return 'test' in catcher ? catcher.test : catcher.harness
}

/** Who noticed the mutant first, or why nobody did. */
async function look(
  tree: MutableTree,
  mutant: Mutant,
  silent: ReadonlySet<string>,
  { seed }: RunOptions,
): Promise<Caught | string> {
  try {
    await tree.apply(mutant.edits)
    await tree.build()
    for (const catcher of mutant.caughtBy.filter((each) => silent.has(nameOf(each)))) {
      const found = 'test' in catcher ? await lookByTest(tree, catcher) : await lookByHarness(tree, catcher, seed)
      if (found !== null) return { mutant: mutant.name, harness: nameOf(catcher), ...found }
    }
    return 'no harness noticed it'
  } finally {
    await tree.restore()
  }
}

type Found = Pick<Caught, 'rounds' | 'seed'> | null

async function lookByTest(tree: MutableTree, { test }: TestCatcher): Promise<Found> {
  return (await runTest(tree, test)).failed ? { rounds: 1, seed: null } : null
}

async function lookByHarness(tree: MutableTree, catcher: HarnessCatcher, seed: number): Promise<Found> {
  for (let done = 0; done < catcher.rounds; done += catcher.portion) {
    const rounds = Math.min(catcher.portion, catcher.rounds - done)
    const { failed, output } = await runHarness(tree, catcher.harness, seed + done, rounds)
    if (!failed) continue
    const round = firstFailed(output, seed, done + rounds)
    return { rounds: round, seed: seed + round - 1 }
  }
  return null
}

interface Verdict {
  readonly failed: boolean
  readonly output: string
}

function runHarness(tree: MutableTree, name: string, seed: number, rounds: number): Promise<Verdict> {
  const args = ['--import', 'tsx', 'test/faults/main.ts', name, '--seed', String(seed), '--rounds', String(rounds)]
  return run(tree, name, args)
}

function runTest(tree: MutableTree, file: string): Promise<Verdict> {
  return run(tree, file, ['node_modules/vitest/vitest.mjs', 'run', file])
}

async function run(tree: MutableTree, name: string, args: readonly string[]): Promise<Verdict> {
  const { code, output, timedOut } = await tree.run(process.execPath, args, PORTION_MS)
  if (timedOut) return { failed: true, output: `${output}\nit came to no end` }
  if (code === 0 || code === FAILED) return { failed: code === FAILED, output }
  throw new Error(`${name} ends with ${code}:\n${output.slice(-4000)}`)
}

/** The first round whose seed is named in what a harness says of its failures; the last where none is. */
function firstFailed(output: string, seed: number, most: number): number {
  const lines = output.split('\n').filter((line) => line.startsWith('FAILED: '))
  const rounds = lines
    .flatMap((line) => [...line.matchAll(/\bseed (\d+)/g)].map((match) => Number(match[1]) - seed + 1))
    .filter((round) => round >= 1 && round <= most)
  return rounds.length === 0 ? most : Math.min(...rounds)
}
