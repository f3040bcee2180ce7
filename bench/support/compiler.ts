import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Compiles a C program of this folder. Returns its path, or null where there is no compiler, or not these libraries. */
export function compileC(name: string, directory: string, libraries: readonly string[] = []): string | null {
  const source = fileURLToPath(new URL(`../${name}`, import.meta.url))
  const program = join(directory, basename(name, '.c'))
  const linked = libraries.map((library) => `-l${library}`)
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      execFileSync(compiler, ['-O2', '-o', program, source, ...linked], { stdio: 'ignore' })
      return program
    } catch {
      // The next one, or none.
    }
  }
  return null
}
