import { execFileSync } from 'node:child_process'
import { closeSync, openSync, unlinkSync, writevSync } from 'node:fs'
import { compileC } from './compiler.js'

/** pwritev takes no more parts. */
const MAX_PARTS = 1024

interface Batches {
  readonly parts: number
  readonly partBytes: number
  readonly batches: number
}

/** Writes batches with one pwritev each and nothing else; tells the nanoseconds of all of them. */
export interface RawAppender {
  readonly name: string
  append(path: string, batches: Batches): number
}

/** A C program where there is a compiler, else Node's writevSync. */
export function rawAppender(directory: string): RawAppender {
  const program = compileC('raw-append.c', directory)
  if (program === null) return { name: "pwritev through Node's fs.writevSync", append: appendInNode }
  return { name: 'pwritev from C', append: (path, batches) => appendInC(program, path, batches) }
}

function appendInC(program: string, path: string, { parts, partBytes, batches }: Batches): number {
  const vectors = Math.min(parts, MAX_PARTS)
  const output = execFileSync(program, [path, String(vectors), String((parts / vectors) * partBytes), String(batches)])
  unlinkSync(path)
  return Number(output)
}

function appendInNode(path: string, { parts, partBytes, batches }: Batches): number {
  const count = Math.min(parts, MAX_PARTS)
  const vectors = Array.from({ length: count }, () => Buffer.alloc((parts / count) * partBytes, 'x'))
  const file = openSync(path, 'wx+')
  const begin = process.hrtime.bigint()
  for (let n = 0; n < batches; n++) writevSync(file, vectors, n * parts * partBytes)
  const nanoseconds = Number(process.hrtime.bigint() - begin)
  closeSync(file)
  unlinkSync(path)
  return nanoseconds
}
