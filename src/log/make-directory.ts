import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { MyKafkaError } from '../errors.js'
import { native } from '../native/load.js'
import { DIRECTORY_MODE } from './file-modes.js'

/** Makes a directory and those above it that are missing; their names are on the disk when this resolves. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: DIRECTORY_MODE })
  if (first === undefined) return
  for (let made = path; ; made = dirname(made)) {
    await native.syncDirectory(dirname(made)).catch(unlessUnreadable)
    if (made === first || made === dirname(made)) return
  }
}

/** One may make a directory in one that one may not read; then its name is left to the file system's journal. */
function unlessUnreadable(error: MyKafkaError): void {
  if (error.errno !== 'EACCES') throw error
}
