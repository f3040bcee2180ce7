import { vi } from 'vitest'
import { run } from '../../src/cli/run.js'
import type { CliResult } from './cli-process.js'

/** Runs a command in this process, for what is told before anything is done: a process of its own takes as long as hundreds. */
export async function runCliHere(args: readonly string[]): Promise<CliResult> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk)
      return true
    }),
  )
  try {
    return { code: await run(args), ...written }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
