import { write } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EXIT, QuietExit } from './failure.js'

const writeFile = promisify(write)
const STDOUT = 1
const FULL_PIPE_PAUSE_MS = 10

/**
 * Standard output for records and lists. A reader that is behind (a pager) holds up the writer but not the event loop,
 * as `process.stdout` on a pipe would; one that went away (`| head`) ends the command quietly.
 */
export class Output {
  /** Resolves when the system took the bytes. One write at a time. */
  async write(chunk: Uint8Array | string): Promise<void> {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (let at = 0; at < bytes.length; ) {
      try {
        at += (await writeFile(STDOUT, bytes, at)).bytesWritten
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPIPE') throw new QuietExit(EXIT.ok)
        if (code !== 'EAGAIN') throw error
        await sleep(FULL_PIPE_PAUSE_MS)
      }
    }
  }
}
