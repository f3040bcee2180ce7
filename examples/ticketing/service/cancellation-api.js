import Fastify from 'fastify'
import { record } from './events.js'
import { untilStopped } from './process.js'
import { settings } from './settings.js'
import { Store } from './store.js'

/**
 * A cancellation changes the database and must be told to the log. Either can fail, and so can this process between
 * them. So both are written to the database, in one transaction: what the log must be told is a row of the outbox, and
 * outbox-relay.js tells it. It is a process apart from the booking API, whose answers wait for no database.
 */
const store = new Store(settings.database)
const api = Fastify()

api.delete('/reservations/:id', async (request, reply) => {
  const { id } = request.params
  const known = await store.cancel(id, (reservation) => record('ReservationCancelled', reservation))
  if (!known) return reply.code(404).send({ error: 'there is no such reservation in the database (yet)' })
  return { id, outcome: 'cancelled' }
})

await untilStopped(async (signal) => {
  console.log(`listening on ${await api.listen({ host: '127.0.0.1', port: settings.port })}`)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
})
await api.close()
await store.close()
