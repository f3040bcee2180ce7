import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'mykafka/client'
import { TOPIC } from './events.js'
import { untilStopped } from './process.js'
import { settings } from './settings.js'
import { Store } from './store.js'

const POLL_MS = 20

/**
 * Tells the log what the outbox holds: sends each row, and deletes it when the broker has acknowledged it. Whatever
 * happens between the two, the row is still there and is sent again: at least once, so those who read the log take a
 * second cancellation for what it is.
 */
const store = new Store(settings.database)
const kafka = connect({ brokers: settings.brokers })
const producer = kafka.producer()

/** @param {{ n: number, seat: string, event: string }} row */
async function tell({ n, seat, event }) {
  try {
    await producer.send({ topic: TOPIC, key: seat, value: event })
  } catch (error) {
    console.error(`row ${n} of the outbox stays there: ${error.code ?? error.message}`)
    return
  }
  await store.removeFromOutbox(n)
}

await untilStopped(async (signal) => {
  console.log('ready')
  while (!signal.aborted) {
    const rows = await store.outbox()
    await Promise.all(rows.map(tell))
    if (rows.length === 0) await sleep(POLL_MS, undefined, { signal })
  }
})
await producer.close()
await kafka.close()
await store.close()
