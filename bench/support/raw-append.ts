import { execFileSync } from 'node:child_process'
import { closeSync, openSync, unlinkSync, writevSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../raw-append.c', import.meta.url))
/** pwritev takes no more parts. */
const MAX_PARTS = 1024

/** Writes batches with one pwritev each and nothing else; tells the nanoseconds of all of them. */
export interface RawAppender {
  readonly name: string
  append(path: string, batch: { parts: number; partBytes: number; batches: number }): number
}

/** A C program where there is a compiler, else Node's writevSync. */
export function rawAppender(directory: string): RawAppender {
  const program = join(directory, 'raw-append')
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      execFileSync(compiler, ['-O2', '-o', program, SOURCE], { stdio: 'ignore' })
      return { name: `pwritev from C (${compiler} -O2)`, append: (path, batch) => appendInC(program, path, batch) }
    } catch {
      // The next one, or none.
    }
  }
  return { name: "pwritev through Node's fs.writevSync", append: appendInNode }
}

function appendInC(program: string, path: string, { parts, partBytes, batches }: Parameters<RawAppender['append']>[1]) {
  const vectors = Math.min(parts, MAX_PARTS)
  const output = execFileSync(program, [path, String(vectors), String((parts / vectors) * partBytes), String(batches)])
  unlinkSync(path)
  return Number(output)
}

function appendInNode(path: string, { parts, partBytes, batches }: Parameters<RawAppender['append']>[1]): number {
  const vectors = Array.from({ length: Math.min(parts, MAX_PARTS) }, () =>
    Buffer.alloc((parts / Math.min(parts, MAX_PARTS)) * partBytes, 'x'),
  )
  const file = openSync(path, 'wx+')
  const begin = process.hrtime.bigint()
  for (let n = 0; n < batches; n++) writevSync(file, vectors, n * parts * partBytes)
  const nanoseconds = Number(process.hrtime.bigint() - begin)
  closeSync(file)
  unlinkSync(path)
  return nanoseconds
}
