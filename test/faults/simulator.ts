/**
 * Torn and reordered writes on a simulated disk (native/sim), in C++: what src/log has native code do with files. Builds
 * `core_sim` where it is not built yet, beside the addon if CMake built that.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Harness, Outcome, Row, RunOptions } from './harness.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** So many rounds are played by one process. */
const CHUNK = 10_000

const TORN = 'torn and reordered writes (simulated)'
const FAILING = 'n-th operation fails (simulated)'

/** What core_sim says of each kind of scenario, in records but for the rounds. */
interface Tally {
  readonly rounds: number
  readonly synced: number
  readonly written: number
  readonly syncedLost: number
  readonly writtenLost: number
  readonly wrong: number
}

interface Played {
  readonly torn: Tally
  readonly failing: Tally
  readonly broken: readonly string[]
}

export const simulator: Harness = {
  about: 'Torn and reordered writes, and operations that fail, under the native log on a simulated disk.',
  rounds: { ci: 3000, full: 100_000 },

  async run(options: RunOptions): Promise<Outcome> {
    const program = await build(options)
    const rows: Row[] = []
    const failures: string[] = []
    const end = options.seed + options.rounds
    for (let seed = options.seed; seed < end && failures.length === 0 && !options.signal.aborted; seed += CHUNK) {
      const played = await play(program, { ...options, seed, rounds: Math.min(CHUNK, end - seed) })
      rows.push(...rowsOf(TORN, played.torn), ...rowsOf(FAILING, played.failing))
      failures.push(...played.broken)
      options.log(`  ${Math.min(seed + CHUNK, end) - options.seed} of ${options.rounds} rounds`)
    }
    return { rows, failures }
  },
}

function rowsOf(fault: string, { rounds, synced, syncedLost, written, writtenLost, wrong }: Tally): Row[] {
  if (rounds === 0) return []
  return [
    { fault, mode: 'acks=all', promised: true, rounds, acknowledged: synced, lost: syncedLost, wrong },
    { fault, mode: 'acks=1', promised: false, rounds, acknowledged: written, lost: writtenLost, wrong: 0 },
  ]
}

async function build({ log, signal }: RunOptions): Promise<string> {
  const beside = existsSync(join(ROOT, 'build', 'CMakeCache.txt'))
  const directory = join(ROOT, beside ? 'build' : 'build-sim')
  if (!beside) await output('cmake', ['-S', ROOT, '-B', directory, '-DCMAKE_BUILD_TYPE=Release'], signal)
  log('builds core_sim')
  await output('cmake', ['--build', directory, '--target', 'core_sim', '--parallel', '2'], signal)
  const program = ['core_sim', 'Release/core_sim'].map((name) => join(directory, name)).find(existsSync)
  if (program === undefined) throw new Error(`there is no core_sim in ${directory}`)
  return program
}

async function play(program: string, { seed, rounds, log, signal }: RunOptions): Promise<Played> {
  const said = await output(program, ['--seed', `${seed}`, '--rounds', `${rounds}`], signal)
  const lines = said.trimEnd().split('\n')
  for (const line of lines.slice(0, -1)) log(line)
  return JSON.parse(lines.at(-1) as string) as Played
}

/** What the program writes. One that ends with 1 has something to say, too; others have failed. */
function output(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal })
    let out = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.on('error', reject)
    child.on('close', (code, killedBy) => {
      if (code === 0 || (code === 1 && out.endsWith('}\n'))) resolve(out)
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? killedBy}\n${out}${errors}`))
    })
  })
}
