import { readFileSync } from 'node:fs'

/** What the logs keep open at the most, as a share of the limit, and what the process itself needs. */
const SHARE_OF_LOGS = 0.25
const MOST_FOR_LOGS = 4096
const SHARE_OF_SLICES = 0.125
const RESERVE = 64
/** Of a limit so low that the reserve would leave nothing: a client has more than one connection. */
const LARGEST_RESERVE = 0.5
/** A connection's socket, and its duplicate while a response is on its way. */
const PER_CONNECTION = 2

/** The process's limit on open files; infinite where it is not known. */
export function descriptorLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** So many connections leave the logs the descriptors that they need. At least one. */
export function connectionsWithin(descriptors: number): number {
  const logs = Math.min(descriptors * SHARE_OF_LOGS, MOST_FOR_LOGS)
  const reserve = Math.min(RESERVE, descriptors * LARGEST_RESERVE)
  return Math.max(1, Math.floor((descriptors - logs - reserve) / PER_CONNECTION))
}

/** So many slices of files may wait to be sent before those who wait for them get no more. */
export function slicesWithin(descriptors: number): number {
  return Math.max(1, descriptors * SHARE_OF_SLICES)
}
