import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { native } from '../native/load.js'
import { FILE_MODE } from './file-modes.js'

/** Replaces a file as a whole: after a crash the old bytes are there or the new ones. */
export async function replaceFile(path: string, bytes: string | Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`
  const file = await open(temporary, 'w', FILE_MODE)
  try {
    await file.writeFile(bytes)
  } finally {
    await file.close()
  }
  await native.syncFile(temporary)
  await rename(temporary, path)
  await native.syncDirectory(dirname(path))
}
