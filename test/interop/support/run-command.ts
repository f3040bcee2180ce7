import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What it reads. */
  readonly input?: string
}

/** Runs a command to its end and resolves with its standard output; throws with all output where it fails. */
export async function runCommand(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // It may end before it has read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed (${code}):\n${(stdout + stderr).slice(-3000)}`)
  return stdout
}
