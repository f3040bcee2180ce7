import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'

const STDOUT = 1
const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants

let opened: number | undefined

/**
 * Standard output, as a descriptor that refuses (EAGAIN) what nobody takes, wherever the system lets it: behind a full
 * pipe or a terminal that was halted, a write would keep the event loop or a thread, and a stop waits for its threads.
 */
export function stdoutDescriptor(): number {
  opened ??= open()
  return opened
}

function open(): number {
  try {
    const type = fstatSync(STDOUT)
    if (type.isFile()) return STDOUT
    // Opened anew, so that whoever has the same pipe or terminal is not concerned. Sockets cannot be.
    if (!type.isSocket()) return openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    // Not on this system, nobody reads, or it is another user's.
  }
  try {
    new Socket({ fd: STDOUT, readable: false }).on('error', () => {}).unref()
  } catch {
    // Neither pipe nor socket.
  }
  return STDOUT
}
