import { claims } from './claims.js'
import { Crowd } from './crowd.js'
import { gather, settled } from './evidence.js'
import { killByPlan, planKills } from './killer.js'
import { percentiles, randomNumbers } from './random.js'
import { System } from './system.js'

const SEATS = 300
/** While processes are killed, and when all are back. */
const [FIRST_WAVE, SECOND_WAVE] = [1_000, 200]
const DURATION_MS = 3_000
const KILLS = 3
const TIME_LIMIT_MS = 120_000

/**
 * A sale while processes are killed, and what can be said of it when all have come to rest.
 *
 * @param {number} seed
 */
export async function round(seed) {
  const random = randomNumbers(seed)
  const system = new System()
  let limit
  try {
    // Short times: some shall be told 503 and given up.
    await system.start('round', { ANSWER_WITHIN_MS: '1000', DOUBT_MS: '2000' })
    const crowd = new Crowd(system, random)
    const plan = planKills(random, DURATION_MS, KILLS)
    limit = setTimeout(() => system.fail(new Error(`it took more than ${TIME_LIMIT_MS} ms`)), TIME_LIMIT_MS)
    const sale = async () => {
      const first = { name: 'a', customers: FIRST_WAVE, seats: SEATS, durationMs: DURATION_MS }
      await Promise.all([crowd.come(first), killByPlan(system, plan)])
      await settled(system, crowd.gone)
      await crowd.come({ name: 'b', customers: SECOND_WAVE, seats: SEATS, durationMs: 200 })
      await settled(system, crowd.gone)
      await system.bookingApi.kill()
      await system.bookingApi.start()
      return await gather(system, crowd, SEATS)
    }
    const evidence = await system.whileItRuns(sale())
    await system.stop()
    return { claims: claims(evidence), summary: summary(evidence, plan) }
  } finally {
    clearTimeout(limit)
    await system.kill()
  }
}

function summary({ crowd, log }, plan) {
  const copies = (type) => {
    const ids = log
      .flat()
      .filter(({ event }) => event.type === type)
      .map(({ event }) => event.id)
    return ids.length - new Set(ids).size
  }
  const kills = Object.entries(plan).map(([name, schedule]) => `${name} ${schedule.length}`)
  const { p50, p99 } = percentiles(crowd.times)
  return [
    `killed ${kills.join(', ')}`,
    `${crowd.accepted.length} accepted, ${crowd.refused.size} refused, ${crowd.cancelled.size} cancelled`,
    `${crowd.unavailable} times unavailable, ${crowd.gone.size} left; answers p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms`,
    `in the log twice: ${copies('ReservationCreated')} reservations, ${copies('ReservationCancelled')} cancellations`,
  ].join('; ')
}
