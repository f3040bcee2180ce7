import { readdirSync, readFileSync } from 'node:fs'

/** Of /proc/PID/stat: USER_HZ, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
const MIB = 1 << 20
const KIB = 1 << 10

/** CPU seconds of all threads of a process, in user mode and in the kernel. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Megabytes of a process in memory, now and at the most. */
export function residentMiB(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const field = (name: string): number => (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * KIB) / MIB
  return { now: field('VmRSS'), peak: field('VmHWM') }
}

/** How many descriptors a process has open, and how many mappings. */
export function openedBy(pid: number): { readonly descriptors: number; readonly mappings: number } {
  const mappings = readFileSync(`/proc/${pid}/maps`, 'latin1').trimEnd().split('\n').length
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, mappings }
}
