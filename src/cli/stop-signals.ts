const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** A signal that asks a process to end. */
export type StopSignal = keyof typeof EXIT_CODES

/** What a shell tells of a process that this signal ended. */
export function exitCodeOfSignal(signal: StopSignal): number {
  return EXIT_CODES[signal]
}

/** Calls `stop` at the first SIGHUP (the terminal was closed), SIGINT or SIGTERM. The second ends the process at once. */
export function onStopSignal(stop: (signal: StopSignal) => void): { dispose(): void } {
  const signals = Object.keys(EXIT_CODES) as StopSignal[]
  let stopping = false
  const receive = (name: NodeJS.Signals): void => {
    const signal = name as StopSignal
    if (stopping) {
      dispose()
      dieOf(signal)
    }
    stopping = true
    stop(signal)
  }
  const dispose = (): void => {
    for (const signal of signals) process.off(signal, receive)
  }
  for (const signal of signals) process.on(signal, receive)
  return { dispose }
}

/** Not by process.exit alone: that waits for every thread, and one may be stuck in a write that nobody reads. */
function dieOf(signal: StopSignal): void {
  process.kill(process.pid, signal)
  // The first process of a container has no default for signals.
  process.exit(EXIT_CODES[signal])
}
