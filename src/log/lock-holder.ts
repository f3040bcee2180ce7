import { readFile, stat } from 'node:fs/promises'
import { native } from '../native/load.js'

/** Who holds a lock that could not be had, in words. */
export async function lockHolder(path: string): Promise<string> {
  if (native.isLockedHere(path)) return 'this process itself'
  const pid = await lockingProcess(path).catch(() => null)
  return pid === null ? 'another process' : `another process (${pid})`
}

/** By the system's list of locks, where it has one that shows the process. */
async function lockingProcess(path: string): Promise<number | null> {
  const { ino } = await stat(path)
  const lines = (await readFile('/proc/locks', 'utf8')).split('\n')
  const pids = lines.flatMap((line) => {
    const [, kind, , , pid, place] = line.split(/\s+/)
    return kind === 'FLOCK' && place?.split(':')[2] === String(ino) ? [Number(pid)] : []
  })
  // A file of another device may have the same number.
  return pids.length === 1 && (pids[0] as number) > 0 ? (pids[0] as number) : null
}
