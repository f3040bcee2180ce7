import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'mykafka/client'
import { eventOf, STATISTICS_GROUP, TOPIC, WORKER_GROUP } from '../service/events.js'
import { Statistics } from '../service/statistics-store.js'
import { Store } from '../service/store.js'
import { seatOf } from './crowd.js'
import { ask } from './http.js'

const GROUPS = [WORKER_GROUP, STATISTICS_GROUP]

/**
 * Waits until nothing moves any more: nobody's booking is in doubt, the outbox is empty, both groups have committed up
 * to the end of the log.
 *
 * @param {import('./system.js').System} system
 * @param {Iterable<string>} [gone] the ids of those who were told 503 and left
 */
export async function settled(system, gone = []) {
  const store = new Store(system.env.DATABASE_URL)
  const client = await Client.connect({ port: Number(system.broker.address) })
  const until = async (holds) => {
    while (!(await holds())) await sleep(20, undefined, { signal: system.signal })
  }
  try {
    for (const id of gone) await until(() => isDecided(system, id))
    await until(async () => (await store.outbox()).length === 0)
    await until(async () => {
      const committed = await Promise.all(GROUPS.map((group) => committedOffsets(client, group)))
      const ends = await logEnds(client)
      return committed.every((offsets) => ends.every((end, partition) => (offsets[partition] ?? 0) === end))
    })
  } finally {
    await client.close()
    await store.close()
  }
}

/** Whether a booking in doubt is accepted or given up, and its seat free then. */
async function isDecided({ bookingApi }, id) {
  const { status, body } = await ask('GET', `${bookingApi.address}/reservations/${id}`)
  if (status === 404 || body.status === 'accepted') return true
  if (body.status !== 'cancelled') return false
  const { body: seat } = await ask('GET', `${bookingApi.address}/seats/${body.seat}`)
  return seat.reservation !== id
}

/**
 * What there is to show for a round. The log is read by the plain client: what is checked does not speak for itself.
 *
 * @param {import('./system.js').System} system
 * @param {import('./crowd.js').Crowd} crowd
 * @param {number} seats
 */
export async function gather(system, crowd, seats) {
  const store = new Store(system.env.DATABASE_URL)
  const statistics = new Statistics(system.env.STATISTICS_URL)
  const client = await Client.connect({ port: Number(system.broker.address) })
  try {
    return {
      crowd,
      log: await readLog(client),
      rows: await store.reservations(),
      outbox: await store.outbox(),
      sections: await statistics.sections(),
      committed: Object.fromEntries(
        await Promise.all(GROUPS.map(async (group) => [group, await committedOffsets(client, group)])),
      ),
      holders: await holders(system, seats),
    }
  } finally {
    await client.close()
    await statistics.close()
    await store.close()
  }
}

async function logEnds(client) {
  const [{ partitions }] = await client.metadata(TOPIC)
  return partitions.map(({ highWatermark }) => highWatermark)
}

async function committedOffsets(client, group) {
  const ends = await logEnds(client)
  return Promise.all(ends.map((_, partition) => client.fetchOffset(group, TOPIC, partition)))
}

/** @returns {Promise<{ key: string, offset: number, event: import('../service/events.js').Event }[][]>} by partition */
async function readLog(client) {
  const ends = await logEnds(client)
  return Promise.all(
    ends.map(async (end, partition) => {
      const log = []
      while (log.length < end) {
        const records = await client.fetch(TOPIC, partition, log.length)
        log.push(
          ...records.map((record) => ({ key: String(record.key), offset: record.offset, event: eventOf(record) })),
        )
      }
      return log
    }),
  )
}

/** @returns {Promise<Map<string, string | null>>} by seat, who has it: as the booking API says */
async function holders({ bookingApi }, seats) {
  const found = new Map()
  for (let number = 0; number < seats; number++) {
    const { body } = await ask('GET', `${bookingApi.address}/seats/${seatOf(number)}`)
    found.set(body.seat, body.reservation)
  }
  return found
}
