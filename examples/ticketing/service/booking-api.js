import Fastify from 'fastify'
import { connect } from 'mykafka/client'
import { Bookings } from './bookings.js'
import { eventOf, TOPIC } from './events.js'
import { untilStopped } from './process.js'
import { settings } from './settings.js'

// A request without an answer is given up as soon as the customer is told so.
const kafka = connect({ brokers: settings.brokers, requestTimeoutMs: settings.answerWithinMs })
const producer = kafka.producer({
  // A booking goes out at once; those that come while others are under way share a request.
  lingerMs: 0,
  // Until then it is sent again where the connection breaks. Then the customer is told that it is not known.
  deliveryTimeoutMs: settings.answerWithinMs,
  maxBlockMs: settings.answerWithinMs,
})
// Always from the beginning, in no group, and nothing is committed.
const consumer = kafka.consumer({ autoOffsetReset: 'earliest' })
const bookings = new Bookings((record) => producer.send(record), settings.doubtMs)

const ANSWERS = {
  accepted: 202,
  taken: 409,
  cancelled: 410,
  different: 422,
  unavailable: 503,
}

const api = Fastify()

const body = {
  type: 'object',
  required: ['seat', 'customer'],
  properties: {
    seat: { type: 'string', pattern: '^[A-Z]-[0-9]{2,3}$' },
    customer: { type: 'string', minLength: 1, maxLength: 100 },
  },
}
api.put('/reservations/:id', { schema: { body } }, async (request, reply) => {
  const { id } = request.params
  const { seat, customer } = request.body
  const outcome = await bookings.reserve({ id, seat, customer })
  reply.code(ANSWERS[outcome])
  if (outcome === 'unavailable') reply.header('retry-after', '1')
  return { id, outcome, ...(outcome === 'accepted' && bookings.booking(id).position) }
})

api.get('/reservations/:id', async (request, reply) => {
  const booking = bookings.booking(request.params.id)
  if (booking === undefined) return reply.code(404).send({ error: 'there is no such reservation' })
  const { id, seat, customer, status } = booking
  return { id, seat, customer, status }
})

api.get('/seats/:seat', async (request) => {
  const { seat } = request.params
  return { seat, reservation: bookings.holder(seat) ?? null }
})

/** Reads the log up to its end of now: behind that the locks are what they were when the last API ended. */
async function catchUp(signal) {
  const [{ partitions }] = await kafka.admin().describeTopics([TOPIC], { signal })
  await consumer.subscribe([TOPIC], { signal })
  const missing = new Map(partitions.map(({ partition, highWatermark }) => [partition, highWatermark]))
  for (const [partition, end] of missing) if (end === 0) missing.delete(partition)
  while (missing.size > 0) {
    for (const { partition, offset } of await read(signal))
      if (offset + 1 >= missing.get(partition)) missing.delete(partition)
  }
}

async function read(signal) {
  const records = await consumer.poll({ signal })
  for (const record of records) bookings.apply(eventOf(record), record)
  return records
}

await untilStopped(async (signal) => {
  await catchUp(signal)
  console.log(`listening on ${await api.listen({ host: '127.0.0.1', port: settings.port })}`)
  // What is cancelled sets seats free.
  while (!signal.aborted) await read(signal)
})
await api.close()
await producer.close()
await kafka.close()
