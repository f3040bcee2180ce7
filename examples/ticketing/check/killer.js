import { setTimeout as sleep } from 'node:timers/promises'

/**
 * When whom to kill, and for how long it stays dead: in ms from the beginning on.
 *
 * @typedef {{ at: number, downMs: number }[]} Schedule of one victim
 *
 * @param {() => number} random
 * @param {number} durationMs
 * @param {number} kills of broker and worker each; statistics and relay die half as often
 * @returns {{ broker: Schedule, worker: Schedule, statistics: Schedule, relay: Schedule }}
 */
export function planKills(random, durationMs, kills) {
  const times = (count, downMs) =>
    Array.from({ length: count }, () => ({ at: random() * durationMs, downMs: random() * downMs })).toSorted(
      (a, b) => a.at - b.at,
    )
  const few = Math.ceil(kills / 2)
  // The broker is away for longer than a customer is kept waiting, now and then.
  return { broker: times(kills, 1_500), worker: times(kills, 300), statistics: times(few, 300), relay: times(few, 300) }
}

/**
 * Kills with kill -9 by plan, and starts again. The victims have nothing to do with each other: the worker may die
 * while the broker is away.
 *
 * @param {import('./system.js').System} system
 * @param {ReturnType<typeof planKills>} plan
 */
export async function killByPlan(system, plan) {
  const begin = performance.now()
  await Promise.all(
    Object.entries(plan).map(async ([name, schedule]) => {
      for (const { at, downMs } of schedule) {
        await sleep(Math.max(0, begin + at - performance.now()), undefined, { signal: system.signal })
        await system[name].kill()
        await sleep(downMs, undefined, { signal: system.signal })
        await system[name].start()
      }
    }),
  )
}
