/** Kafka's checkpoint files: a version line, a count, then a line `<key> <offset>` each. */

const CHECKPOINT_VERSION = '0'

/** Offsets by log, in a checkpoint file. A broker's keys are `<topic> <partition>`. */
export type Checkpoint = ReadonlyMap<string, number>

export function formatCheckpoint(offsets: Checkpoint): string {
  const lines = [...offsets].map(([key, offset]) => `${key} ${offset}\n`)
  return `${CHECKPOINT_VERSION}\n${offsets.size}\n${lines.join('')}`
}

/** Null where it is not the text of a whole checkpoint. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [version, count, ...lines] = text.split('\n')
  if (version !== CHECKPOINT_VERSION || lines.pop() !== '' || Number(count) !== lines.length) return null
  const offsets = new Map<string, number>()
  for (const line of lines) {
    const split = line.lastIndexOf(' ')
    const offset = Number(line.slice(split + 1))
    if (split <= 0 || !Number.isSafeInteger(offset) || offset < 0) return null
    offsets.set(line.slice(0, split), offset)
  }
  return offsets
}
