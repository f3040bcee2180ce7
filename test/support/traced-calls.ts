import { readFile } from 'node:fs/promises'

/** A system call that a process made. */
export interface TracedCall {
  readonly name: string
  /** As strace shows them: descriptors with the path or the kind of what they are. */
  readonly args: string
  /** -1 where it failed. */
  readonly result: number
}

/** A command that runs a program in its own place, and writes down these system calls of all its threads. */
export function tracing(calls: readonly string[], output: string): string[] {
  return ['strace', '-D', '-f', '-qq', '-y', '-s', '0', '-o', output, '-e', `trace=${calls.join(',')}`]
}

/** The calls that were written down. One that was interrupted in the trace by another thread's is put together. */
export async function tracedCalls(output: string): Promise<TracedCall[]> {
  const unfinished = new Map<string, string>()
  const calls: TracedCall[] = []
  for (const line of (await readFile(output, 'utf8')).split('\n')) {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const begun = /^(.*) <unfinished \.\.\.>$/.exec(text)
    if (begun !== null) {
      unfinished.set(thread, begun[1] as string)
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)
    const whole = resumed === null ? text : `${unfinished.get(thread)}${resumed[1]}`
    const [, name, args = '', result] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(whole) ?? []
    if (name !== undefined) calls.push({ name, args, result: Number(result) })
  }
  return calls
}
