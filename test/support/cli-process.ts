import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { behindEachTest } from './clean-up.js'
// Its directories are removed behind the processes that use them: hooks run in reverse order.
import './temporary.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The command, as npm links it. */
export const COMMAND = join(ROOT, 'bin', 'mykafka.js')

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** How a command ended, and what it wrote. */
export interface CliResult {
  /** As a shell tells it: 128 and the signal's number for one that died of a signal. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

const running = new Set<CliProcess>()

// A test that fails in the middle leaves no process behind.
behindEachTest(async () => {
  for (const cli of running) {
    cli.signal('SIGCONT')
    cli.signal('SIGKILL')
    await cli.exited
  }
})

/** `mykafka` from dist/, as a process of its own. */
export class CliProcess {
  readonly child: ChildProcess
  readonly exited: Promise<CliResult>
  #stdout: Buffer[] = []
  #stderr: Buffer[] = []
  #changed: (() => void)[] = []

  constructor(args: readonly string[], { env = {}, cwd }: CliOptions = {}) {
    requireCurrentDist()
    this.child = spawn(process.execPath, [COMMAND, ...args], { env: { ...process.env, ...env }, cwd })
    running.add(this)
    this.child.stdout?.on('data', (chunk: Buffer) => this.#keep(this.#stdout, chunk))
    this.child.stderr?.on('data', (chunk: Buffer) => this.#keep(this.#stderr, chunk))
    // It may end before it has read its input.
    this.child.stdin?.on('error', () => {})
    // 'close' comes when all output is here, 'exit' may come before.
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this)
      this.#wake()
      const { stdout, stderr } = this
      return { code: code ?? 128 + (SIGNAL_NUMBERS[signal as NodeJS.Signals] ?? 0), stdout, stderr }
    })
  }

  get pid(): number {
    return this.child.pid as number
  }

  get stdout(): string {
    return this.stdoutBytes.toString()
  }

  get stdoutBytes(): Buffer {
    return Buffer.concat(this.#stdout)
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString()
  }

  /** Resolves with what matches standard output; throws where the command ends without it. */
  async outputMatching(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout)
      if (match !== null) return match
      if (!running.has(this)) throw new Error(`it ended without ${pattern}:\n${this.stdout}\n${this.stderr}`)
      await new Promise<void>((resolve) => this.#changed.push(resolve))
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name)
  }

  #keep(chunks: Buffer[], chunk: Buffer): void {
    chunks.push(chunk)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#changed.splice(0)) wake()
  }
}

/** Runs a command to its end. */
export function runCli(args: readonly string[], input: string | Buffer = '', options?: CliOptions): Promise<CliResult> {
  const cli = new CliProcess(args, options)
  cli.child.stdin?.end(input)
  return cli.exited
}

let current = false

/** The command runs from dist/: what was built from older sources would be tested else. */
export function requireCurrentDist(): void {
  if (current) return
  const command = join(ROOT, 'dist', 'lib', 'cli.js')
  const builtAt = existsSync(command) ? statSync(command).mtimeMs : 0
  for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name)
    if (!entry.name.endsWith('.ts') || statSync(source).mtimeMs <= builtAt) continue
    throw new Error(`dist/ is older than ${source}: run npm run build:ts`)
  }
  current = true
}
