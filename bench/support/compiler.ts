import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Compiles a C program of this folder. Returns its path, or null where there is no compiler. */
export function compileC(name: string, directory: string): string | null {
  const source = fileURLToPath(new URL(`../${name}`, import.meta.url))
  const program = join(directory, basename(name, '.c'))
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      execFileSync(compiler, ['-O2', '-o', program, source], { stdio: 'ignore' })
      return program
    } catch {
      // The next one, or none.
    }
  }
  return null
}
