import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ProgramOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export interface ProgramResult {
  /** Null where it was ended by a signal. */
  readonly code: number | null
  readonly output: string
  readonly timedOut: boolean
}

/** So long a program that is told to end may take to clear up. */
const CLEAR_UP_MS = 60_000

/** Runs a program to its end. One that takes too long, or is aborted, is told to end, and so is what it started. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, signal, timeoutMs }: ProgramOptions,
): Promise<ProgramResult> {
  signal.throwIfAborted()
  // A group of its own: nobody else is told to end with it.
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  let timedOut = false
  const tell = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid as number), name)
    } catch {
      // It has ended.
    }
  }
  const timers: NodeJS.Timeout[] = []
  const end = (): void => {
    tell('SIGTERM')
    timers.push(setTimeout(tell, CLEAR_UP_MS, 'SIGKILL'))
  }
  timers.push(
    setTimeout(() => {
      timedOut = true
      end()
    }, timeoutMs),
  )
  signal.addEventListener('abort', end, { once: true })
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    // How it ended when it was told to says nothing.
    signal.throwIfAborted()
    return { code, output, timedOut }
  } finally {
    signal.removeEventListener('abort', end)
    for (const timer of timers) clearTimeout(timer)
  }
}
