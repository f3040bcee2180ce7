import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE, INTEROP } from './folders.js'

/** Installs what the given files of test/interop/ say, unless that was done for these very contents. */
export async function installOnce(name: string, files: readonly string[], install: () => Promise<void>): Promise<void> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(INTEROP, file)))
  const wanted = hash.digest('hex')
  const stamp = join(CACHE, `${name}.installed`)
  if (readStamp(stamp) === wanted) return
  mkdirSync(CACHE, { recursive: true })
  await install()
  writeFileSync(stamp, wanted)
}

function readStamp(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
