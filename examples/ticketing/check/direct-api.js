import Fastify from 'fastify'
import { untilStopped } from '../service/process.js'
import { settings } from '../service/settings.js'
import { createStore, Store } from '../service/store.js'

/** What the booking API is measured against: one that answers when the database has the reservation. */
await createStore(settings.database)
const store = new Store(settings.database)
const api = Fastify()
let number = 0

api.put('/reservations/:id', async (request, reply) => {
  const { id } = request.params
  const { seat, customer } = request.body
  const event = { type: 'ReservationCreated', id, seat, customer, at: Date.now() }
  const fresh = await store.apply(event, { partition: 0, offset: number++ })
  return reply.code(fresh ? 202 : 409).send({ id })
})

await untilStopped(async (signal) => {
  console.log(`listening on ${await api.listen({ host: '127.0.0.1', port: settings.port })}`)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
})
await api.close()
await store.close()
