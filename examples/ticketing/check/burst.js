import { setTimeout as sleep } from 'node:timers/promises'
import { Store } from '../service/store.js'
import { seatOf } from './crowd.js'
import { settled } from './evidence.js'
import { ask } from './http.js'
import { percentiles } from './random.js'
import { System } from './system.js'

const WARM_UP = 500
const WARM_UP_SIDE_BY_SIDE = 10

/**
 * A sale begins: the same burst once as the example takes it, once into an API that inserts before it answers. Nothing
 * is killed; each request asks for a seat of its own.
 *
 * @param {{ requests: number, perSecond: number }} burst
 */
export async function compareBursts(burst) {
  const { api, insert, stored } = await burstIntoLog(burst)
  return { api, insert, stored, direct: await burstIntoDatabase(burst) }
}

async function burstIntoLog(burst) {
  const system = new System()
  try {
    await system.start('burst')
    const api = percentiles(await system.whileItRuns(send(system.bookingApi.address, burst)))
    await system.whileItRuns(settled(system))
    const store = new Store(system.env.DATABASE_URL)
    const rows = (await store.reservations()).slice(WARM_UP)
    await store.close()
    const stored = percentiles(rows.map(({ asked_at: asked, inserted_at: inserted }) => inserted - asked))
    const said = await system.worker.stop()
    const insert = JSON.parse(said.trim().split('\n').at(-1))
    await system.stop()
    return { api, insert, stored }
  } finally {
    await system.kill()
  }
}

async function burstIntoDatabase(burst) {
  const system = new System()
  try {
    await system.startDirectApi('direct')
    const api = percentiles(await system.whileItRuns(send(system.directApi.address, burst)))
    await system.stop()
    return api
  } finally {
    await system.kill()
  }
}

/** Each request at its time, whether those before it are answered or not. @returns {Promise<number[]>} ms from that time */
async function send(url, { requests, perSecond }) {
  const reserve = async (number) => {
    const { status } = await ask('PUT', `${url}/reservations/b${number}`, {
      seat: seatOf(number),
      customer: `c${number}`,
    })
    if (status !== 202) throw new Error(`b${number} was answered ${status}`)
  }
  let warm = 0
  const warmUp = async () => {
    while (warm < WARM_UP) await reserve(warm++)
  }
  await Promise.all(Array.from({ length: WARM_UP_SIDE_BY_SIDE }, warmUp))
  const begin = performance.now()
  const answers = []
  while (answers.length < requests) {
    const due = begin + (answers.length * 1000) / perSecond
    if (due > performance.now()) await sleep(1)
    else answers.push(reserve(WARM_UP + answers.length).then(() => performance.now() - due))
  }
  return await Promise.all(answers)
}
