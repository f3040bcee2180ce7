import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpuSecondsOf } from './process-usage.js'

const SAMPLE_MS = 50

export interface Outcome {
  readonly stdout: string
  /** Of its life, how much it was on a core: 1 is all of one. */
  readonly busy: number
}

/**
 * Runs a program and measures how busy it was.
 *
 * @param endMs - when it is asked to end. One that then ends has done well; null: it ends by itself
 * @param limitMs - when it is killed, which fails
 */
export async function runMeasured(
  [command, ...args]: readonly string[],
  { endMs, limitMs }: { endMs: number | null; limitMs: number },
): Promise<Outcome> {
  const child = spawn(command as string, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const pid = child.pid
  let [stdout, stderr, cpuSeconds, at] = ['', '', 0, 0]
  const begin = performance.now()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const sampling = setInterval(() => {
    try {
      cpuSeconds = cpuSecondsOf(pid as number)
      at = performance.now()
    } catch {
      // It has just ended.
    }
  }, SAMPLE_MS)
  const killing = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const ending = endMs === null ? undefined : setTimeout(() => child.kill('SIGTERM'), endMs)
  try {
    await once(child, 'close')
  } finally {
    for (const timer of [sampling, killing, ending]) clearTimeout(timer)
  }
  const wasEnded = endMs !== null && performance.now() - begin >= endMs && child.signalCode !== 'SIGKILL'
  if (child.exitCode !== 0 && !wasEnded) {
    throw new Error(`${command} ${args.join(' ')} failed (${child.exitCode ?? child.signalCode}):\n${stdout}${stderr}`)
  }
  return { stdout, busy: cpuSeconds / ((at - begin) / 1000) }
}
