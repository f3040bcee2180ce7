import { MyKafkaError } from '../errors.js'

const MURMUR2_SEED = 0x9747b28c
const MURMUR2_M = 0x5bd1e995

/** The partitioners that a configuration can name. */
export const PARTITIONERS = ['murmur2', 'java-hash'] as const

/** The name of a partitioner. */
export type PartitionerName = (typeof PARTITIONERS)[number]

/** Chooses the partition of records. Each topic has one of its own: it counts the keyless ones. */
export interface Partitioner {
  /**
   * @param key - null: the partitions take turns
   * @param partitionCount - 1 or more
   */
  partition(key: Uint8Array | null, partitionCount: number): number
}

/** MurmurHash2 as Kafka computes it, a signed int32. @param length - of the key, where it does not fill its array */
export function murmur2(key: Uint8Array, length = key.length): number {
  const end = length & ~3
  let h = MURMUR2_SEED ^ length
  let i = 0
  for (; i < end; i += 4) {
    let k =
      (key[i] as number) |
      ((key[i + 1] as number) << 8) |
      ((key[i + 2] as number) << 16) |
      ((key[i + 3] as number) << 24)
    k = Math.imul(k, MURMUR2_M)
    k ^= k >>> 24
    h = Math.imul(h, MURMUR2_M) ^ Math.imul(k, MURMUR2_M)
  }
  if (i < length) {
    let tail = 0
    for (let shift = 0; i < length; i++, shift += 8) tail |= (key[i] as number) << shift
    h = Math.imul(h ^ tail, MURMUR2_M)
  }
  h = Math.imul(h ^ (h >>> 13), MURMUR2_M)
  return h ^ (h >>> 15)
}

/** Java's `Arrays.hashCode(byte[])`, a signed int32. @param length - as for {@link murmur2} */
export function javaHash(key: Uint8Array, length = key.length): number {
  let h = 1
  for (let i = 0; i < length; i++) h = (Math.imul(31, h) + (((key[i] as number) << 24) >> 24)) | 0
  return h
}

/** The partition of a key, by a partitioner's hash. @param length - as for {@link murmur2} */
export function partitionOfKey(
  name: PartitionerName,
  key: Uint8Array,
  partitionCount: number,
  length = key.length,
): number {
  if (name === 'murmur2') return (murmur2(key, length) & 0x7fffffff) % partitionCount
  return ((javaHash(key, length) % partitionCount) + partitionCount) % partitionCount
}

class HashOrRoundRobin implements Partitioner {
  readonly #name: PartitionerName
  #turn = 0

  constructor(name: PartitionerName) {
    this.#name = name
  }

  partition(key: Uint8Array | null, partitionCount: number): number {
    if (key !== null) return partitionOfKey(this.#name, key, partitionCount)
    const chosen = this.#turn % partitionCount
    this.#turn = chosen + 1
    return chosen
  }
}

/**
 * A partitioner for one topic: keys by hash, records without a key round robin from partition 0 on.
 *
 * @throws MyKafkaError INVALID_CONFIG for an unknown name
 */
export function createPartitioner(name: PartitionerName): Partitioner {
  if (PARTITIONERS.includes(name)) return new HashOrRoundRobin(name)
  throw new MyKafkaError(
    'INVALID_CONFIG',
    `there is no partitioner ${JSON.stringify(name)}: ${PARTITIONERS.join(', ')}`,
  )
}

/** Whether a key has another partition when a topic grows from `before` to `after` partitions. */
export function isMovedKey(name: PartitionerName, key: Uint8Array, before: number, after: number): boolean {
  return partitionOfKey(name, key, before) !== partitionOfKey(name, key, after)
}

/**
 * The share of evenly hashed keys that move: a key stays where both remainders are the same, which min(before, after)
 * of every lcm(before, after) hashes do.
 */
export function expectedMovedShare(before: number, after: number): number {
  let [divisor, rest] = [before, after]
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest]
  return 1 - divisor / Math.max(before, after)
}
