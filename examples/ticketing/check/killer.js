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
  const times = (count) =>
    Array.from({ length: count }, () => ({ at: random() * durationMs, downMs: random() * 300 })).toSorted(
      (a, b) => a.at - b.at,
    )
  const few = Math.ceil(kills / 2)
  return { broker: times(kills), worker: times(kills), statistics: times(few), relay: times(few) }
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
