import type { Caught, Harness, RunOptions } from '../harness.js'
import { type Catcher, MUTANTS, type Mutant } from './table.js'
import { MutableTree } from './tree.js'

const PORTION_MS = 900_000

const FAILED = 1

/** Builds each mutant in a copy of the tree, and has the harnesses that should notice look at it. */
export const mutants: Harness = {
  about: 'are faults noticed that are put into the sources on purpose?',
  rounds: { ci: 0, full: 0 },
  async run(options) {
    const { only = '', log, signal } = options
    const chosen = MUTANTS.filter(({ name }) => name.includes(only))
    const failures: string[] = []
    const caught: Caught[] = []
    const tree = await MutableTree.copy(signal)
    try {
      log(`builds a copy of the tree in ${tree.directory}`)
      await tree.build()
      const catchers = new Map(chosen.flatMap(({ caughtBy }) => caughtBy.map((each) => [each.harness, each])))
      for (const catcher of catchers.values()) await requireSilence(tree, catcher, options)
      for (const mutant of chosen) {
        if (signal.aborted) break
        const result = await look(tree, mutant, options).catch((error: unknown) => String(error))
        if (typeof result === 'string') failures.push(`${mutant.name}: ${result}`)
        else caught.push(result)
        const outcome = typeof result === 'string' ? 'NOT CAUGHT' : `${result.harness}, round ${result.rounds}`
        log(`${mutant.name}: ${outcome}`)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await tree.remove()
    }
    return { rows: [], failures, caught }
  },
}

/** A harness that fails on the sources as they are would notice everything. */
async function requireSilence(tree: MutableTree, catcher: Catcher, options: RunOptions): Promise<void> {
  const rounds = Math.min(catcher.rounds, catcher.portion)
  const { failed, output } = await harness(tree, catcher.harness, options.seed, rounds)
  if (failed) throw new Error(`${catcher.harness} fails without any mutant:\n${output.slice(-4000)}`)
  options.log(`${catcher.harness}: silent without a mutant`)
}

/** Who noticed the mutant first, or why nobody did. */
async function look(tree: MutableTree, mutant: Mutant, { seed }: RunOptions): Promise<Caught | string> {
  try {
    await tree.apply(mutant.edits)
    await tree.build()
    for (const catcher of mutant.caughtBy) {
      for (let done = 0; done < catcher.rounds; done += catcher.portion) {
        const rounds = Math.min(catcher.portion, catcher.rounds - done)
        const { failed, output } = await harness(tree, catcher.harness, seed + done, rounds)
        if (!failed) continue
        const round = firstFailed(output, seed, done + rounds)
        return { mutant: mutant.name, harness: catcher.harness, rounds: round, seed: seed + round - 1 }
      }
    }
    return 'no harness noticed it'
  } finally {
    await tree.restore()
  }
}

async function harness(
  tree: MutableTree,
  name: string,
  seed: number,
  rounds: number,
): Promise<{ failed: boolean; output: string }> {
  const args = ['--import', 'tsx', 'test/faults/main.ts', name, '--seed', String(seed), '--rounds', String(rounds)]
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
