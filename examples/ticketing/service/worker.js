import { connect } from 'mykafka/client'
import { eventOf, TOPIC, WORKER_GROUP } from './events.js'
import { untilStopped } from './process.js'
import { settings } from './settings.js'
import { Store } from './store.js'

/**
 * Inserts what was booked, one reservation a transaction, and commits the offset behind the insert. What was inserted
 * but not committed when it died is delivered again, and changes nothing (see Store.apply).
 */
const store = new Store(settings.database)
const kafka = connect({ brokers: settings.brokers })
const consumer = kafka.consumer({
  groupId: WORKER_GROUP,
  enableAutoCommit: false,
  autoOffsetReset: 'earliest',
  // So many are delivered again at the most.
  maxPollRecords: 50,
})
/** How long each insert took, in ms. */
const times = []

await untilStopped(async (signal) => {
  await consumer.subscribe([TOPIC])
  console.log('ready')
  while (!signal.aborted) {
    const records = await consumer.poll({ signal })
    for (const record of records) {
      const begin = performance.now()
      await store.apply(eventOf(record), record)
      times.push(performance.now() - begin)
    }
    if (records.length > 0) await consumer.commit(records)
  }
})
await consumer.close()
await kafka.close()
await store.close()
times.sort((a, b) => a - b)
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
console.log(JSON.stringify({ inserts: times.length, p50: at(0.5), p99: at(0.99) }))
