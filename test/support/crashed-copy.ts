import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary.js'

/**
 * What a crash now would leave of a directory: its files as they are. A log in use removes and renames files behind
 * the back of who copies them; where one is gone meanwhile, all are copied anew.
 */
export async function crashedCopy(directory: string): Promise<string> {
  for (;;) {
    const copy = join(await temporaryDirectory(), 'copy')
    try {
      await cp(directory, copy, { recursive: true })
      return copy
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' || path === directory) throw error
    }
  }
}
