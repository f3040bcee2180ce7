import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProgramResult, runProgram } from './program.js'
import type { Edit } from './table.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** A whole compilation on a slow machine. */
const BUILD_MS = 900_000

/** A copy of the tree, in which sources are changed and built. */
export class MutableTree {
  readonly directory: string
  readonly #signal: AbortSignal
  readonly #stays: boolean
  readonly #environment: NodeJS.ProcessEnv
  #originals = new Map<string, string>()

  /**
   * Copies what git knows or would take, as it stands. In MYKAFKA_MUTANTS_TREE, a directory, the copy stays, and the next
   * one builds what differs from it.
   */
  static async copy(signal: AbortSignal): Promise<MutableTree> {
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const { output } = await runProgram('git', list, { cwd: ROOT, signal, timeoutMs: BUILD_MS })
    const kept = process.env.MYKAFKA_MUTANTS_TREE
    const directory = kept ?? (await mkdtemp(join(tmpdir(), 'mykafka-mutants-')))
    try {
      for (const file of new Set(output.split('\0'))) {
        if (file === '' || !existsSync(join(ROOT, file))) continue
        await copyWhereItDiffers(join(ROOT, file), join(directory, file))
      }
      const packages = join(directory, 'node_modules')
      if (!existsSync(packages)) await symlink(join(ROOT, 'node_modules'), packages)
      const asked = runProgram('ccache', ['--version'], { cwd: ROOT, signal, timeoutMs: BUILD_MS })
      return new MutableTree(directory, signal, (await asked.catch(() => null)) !== null, kept !== undefined)
    } catch (error) {
      if (kept === undefined) await rm(directory, { recursive: true, force: true })
      throw error
    }
  }

  private constructor(directory: string, signal: AbortSignal, ccache: boolean, stays: boolean) {
    this.directory = directory
    this.#stays = stays
    this.#signal = signal
    const compiler = { CMAKE_CXX_COMPILER_LAUNCHER: 'ccache', CCACHE_BASEDIR: directory, CCACHE_NOHASHDIR: '1' }
    // A test may be a long one.
    this.#environment = { MYKAFKA_TEST_FULL: '1', ...(ccache && compiler) }
  }

  /**
   * Changes the sources until `restore`.
   *
   * @throws Error where a text is not there exactly once: the mutant has to follow the code
   */
  async apply(edits: readonly Edit[]): Promise<void> {
    for (const { file, from, to } of edits) {
      const path = join(this.directory, file)
      const text = await readFile(path, 'utf8')
      if (!this.#originals.has(path)) this.#originals.set(path, text)
      const found = text.split(from).length - 1
      if (found !== 1) throw new Error(`${file} has this ${found} times, not once:\n${from}`)
      await writeFile(
        path,
        text.replace(from, () => to),
      )
    }
  }

  async restore(): Promise<void> {
    for (const [path, text] of this.#originals) await writeFile(path, text)
    this.#originals.clear()
  }

  /** @throws Error with the compiler's words */
  async build(): Promise<void> {
    for (const script of [['scripts/install.mjs'], ['scripts/build-ts.mjs', '--no-types']]) {
      const { code, output } = await this.run(process.execPath, script, BUILD_MS)
      if (code !== 0) throw new Error(`${script[0]} ends with ${code}:\n${output.slice(-4000)}`)
    }
  }

  run(command: string, args: readonly string[], timeoutMs: number): Promise<ProgramResult> {
    return runProgram(command, args, { cwd: this.directory, env: this.#environment, signal: this.#signal, timeoutMs })
  }

  async remove(): Promise<void> {
    if (!this.#stays) await rm(this.directory, { recursive: true, force: true })
  }
}

/** What is the same keeps its date, by which builds go. */
async function copyWhereItDiffers(from: string, to: string): Promise<void> {
  const bytes = await readFile(from)
  const there = await readFile(to).catch(() => null)
  if (there !== null && bytes.equals(there)) return
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
}
