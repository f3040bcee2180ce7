import { createReadStream } from 'node:fs'
import { isMovedKey, PARTITIONERS, type PartitionerName } from '../../topic/partitioner.js'
import { CommandFailure } from '../failure.js'
import { LineSplitter } from '../produce/line-splitter.js'

const MAX_KEY_BYTES = 16 << 20
const DEFAULT_KEYS = 10_000

/** From so many partitions to so many. */
export interface Growth {
  readonly from: number
  readonly to: number
}

/** What a growth does to some keys. */
export interface MovedKeys {
  readonly keys: number
  /** What the keys are. */
  readonly source: string
  /** How many have another partition, by each partitioner. */
  readonly moved: Readonly<Record<PartitionerName, number>>
}

class Counter {
  readonly #growth: Growth
  readonly moved: Record<PartitionerName, number> = { murmur2: 0, 'java-hash': 0 }
  keys = 0

  constructor(growth: Growth) {
    this.#growth = growth
  }

  count(key: Buffer): void {
    const { from, to } = this.#growth
    this.keys++
    for (const name of PARTITIONERS) if (isMovedKey(name, key, from, to)) this.moved[name]++
  }
}

/** Counts the keys user-0 to user-9999. */
export function countUserKeys(growth: Growth): MovedKeys {
  const counter = new Counter(growth)
  for (let i = 0; i < DEFAULT_KEYS; i++) counter.count(Buffer.from(`user-${i}`))
  return { keys: counter.keys, source: `user-0 to user-${DEFAULT_KEYS - 1}`, moved: counter.moved }
}

/** Counts the lines of a file, each a key: one that is there twice counts twice. */
export async function countKeysOfFile(path: string, growth: Growth): Promise<MovedKeys> {
  const counter = new Counter(growth)
  const lines = new LineSplitter(MAX_KEY_BYTES, (key) => counter.count(key))
  for await (const chunk of createReadStream(path)) lines.push(chunk as Buffer)
  lines.end()
  if (counter.keys === 0) throw new CommandFailure(`${path} holds no keys, one a line`)
  return { keys: counter.keys, source: `of ${path}`, moved: counter.moved }
}
