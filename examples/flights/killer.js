import { setTimeout as sleep } from 'node:timers/promises'

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
export function randomNumbers(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Kills the broker with kill -9 at random points of the run, one in each of `times` equal parts of it, and starts it
 * again.
 *
 * @param {import('./broker.js').Broker} broker
 * @param {{ times: number, random: () => number, progress: () => number, signal: AbortSignal }} options
 *   progress: from 0 to 1
 */
export async function killAtRandom(broker, { times, random, progress, signal }) {
  for (let part = 0; part < times; part++) {
    const point = (part + random()) / times
    while (progress() < point) await sleep(1, undefined, { signal })
    await broker.kill()
    await broker.start()
  }
}
