/** Random numbers that a seed repeats. */
export interface Random {
  readonly seed: number
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number
  pick<T>(list: readonly T[]): T
  /** A view of a pool of random bytes. */
  bytes(length: number): Buffer
}

const POOL_BYTES = 4 << 20

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  const word = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  let pool: Buffer | null = null
  const next = (): number => word() / 2 ** 32
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    seed,
    next,
    integer,
    pick: <T>(list: readonly T[]): T => list[integer(0, list.length - 1)] as T,
    bytes: (length) => {
      if (length > POOL_BYTES) throw new Error(`there are ${POOL_BYTES} random bytes at the most`)
      pool ??= randomPool(word)
      const start = integer(0, POOL_BYTES - length)
      return pool.subarray(start, start + length)
    },
  }
}

function randomPool(word: () => number): Buffer {
  const pool = Buffer.allocUnsafe(POOL_BYTES)
  for (let at = 0; at < POOL_BYTES; at += 4) pool.writeUInt32LE(word(), at)
  return pool
}
