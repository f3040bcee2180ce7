/** A bar on a terminal. */
export interface Progress {
  advance(by: number): void
  stop(): void
}

const MIB = 1 << 20

/**
 * Shows on standard error how far long work is. Null where that is no terminal: then nothing is loaded for it, and the
 * total is not asked.
 *
 * @param total - in bytes
 */
export async function startProgress(title: string, total: () => number | Promise<number>): Promise<Progress | null> {
  if (!process.stderr.isTTY) return null
  const [{ SingleBar }, bytes] = await Promise.all([import('cli-progress').then((module) => module.default), total()])
  let done = 0
  const mib = (): string => `${Math.floor(done / MIB)}/${Math.ceil(bytes / MIB)} MiB`
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage} % {mib}`,
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
  })
  bar.start(bytes, 0, { mib: mib() })
  return {
    advance(by) {
      done += by
      bar.update(Math.min(done, bytes), { mib: mib() })
    },
    stop() {
      bar.stop()
    },
  }
}
