import { vi } from 'vitest'
import { native } from '../../src/native/load.js'

/**
 * Looks at each sync of a directory before it is made; where that throws, the sync fails, as on a disk that fails.
 * `vi.restoreAllMocks()` ends it.
 */
export function beforeDirectorySyncs(look: (directory: string) => void | Promise<void>): void {
  const sync = native.syncDirectory
  vi.spyOn(native, 'syncDirectory').mockImplementation(async (directory) => {
    await look(directory)
    await sync(directory)
  })
}
