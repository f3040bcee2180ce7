import { spawnSync } from 'node:child_process'

/** Whether system calls can be made to fail here: strace is there and may trace. */
export const canInject = spawnSync('strace', ['-D', '-o', '/dev/null', 'true']).status === 0

/**
 * A command that runs a program whose system calls meet a fault. It takes the program's place: its process id is the
 * program's.
 *
 * @param calls - names of system calls
 * @param fault - as strace has it: `signal=SIGKILL:when=3`, `error=EIO:when=2+`; each thread counts its own calls
 * @param path - only calls that concern this file or directory
 */
export function underFault(calls: readonly string[], fault: string, path?: string): string[] {
  const names = calls.join(',')
  const only = path === undefined ? [] : ['-P', path]
  return [
    'strace',
    '-D',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${names}`,
    '-e',
    `inject=${names}:${fault}`,
    ...only,
  ]
}
