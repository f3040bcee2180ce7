import { setImmediate as turn } from 'node:timers/promises'
import { isOutOfFiles } from '../errors.js'

/** How often what finds no file descriptor has others closed and tries again. */
const ATTEMPTS = 32

/**
 * Runs again what found no file descriptor, behind others that were synced and closed. Many may wait for the same.
 *
 * @param relieve - makes other logs let go of open files; undefined where there are none
 * @param failure - how the first attempt ended
 */
export async function retryWithFiles<T>(
  relieve: (() => Promise<void>) | undefined,
  run: () => T | Promise<T>,
  failure: unknown,
): Promise<T> {
  let error = failure
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (relieve === undefined || !isOutOfFiles(error)) break
    await relieve()
    // Answers that are on their way let go of theirs meanwhile.
    await turn()
    try {
      return await run()
    } catch (next) {
      error = next
    }
  }
  throw error
}

/** Runs it, and again where it found no file descriptor. It must leave nothing behind where it fails. */
export async function runWithFiles<T>(relieve: () => Promise<void>, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    return await retryWithFiles(relieve, run, error)
  }
}
