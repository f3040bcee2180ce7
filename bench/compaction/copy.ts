import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Entries } from './keyed-log.js'
import type { Compacted } from './program.js'

export type { Compacted }

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url))
const READ_BYTES = 1 << 20

/** Milliseconds to read the segments of a log, which are in the page cache. */
function readThrough(directory: string): number {
  const into = Buffer.allocUnsafeSlow(READ_BYTES)
  const begin = performance.now()
  for (const name of readdirSync(directory).filter((each) => each.endsWith('.log'))) {
    const file = openSync(join(directory, name), 'r')
    while (readSync(file, into, 0, READ_BYTES, null) > 0);
    closeSync(file)
  }
  return performance.now() - begin
}

/** Compacts a copy of a log, which is read before that: how long either takes. */
export async function compactCopy(filled: string, entries: Entries, segmentBytes: number) {
  const directory = `${filled}-copy`
  await cp(filled, directory, { recursive: true })
  readThrough(directory)
  const readMs = readThrough(directory)
  const args = ['--import', 'tsx', PROGRAM, directory, entries, String(segmentBytes)]
  const compacted = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Compacted
  await rm(directory, { recursive: true })
  return { ...compacted, readMs }
}
