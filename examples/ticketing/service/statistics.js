import { connect } from 'mykafka/client'
import { eventOf, STATISTICS_GROUP, TOPIC } from './events.js'
import { untilStopped } from './process.js'
import { settings } from './settings.js'
import { Statistics } from './statistics-store.js'

/** A second group reads the same log at its own pace, all records of a poll in one transaction. */
const statistics = new Statistics(settings.statistics)
const kafka = connect({ brokers: settings.brokers })
const consumer = kafka.consumer({ groupId: STATISTICS_GROUP, enableAutoCommit: false, autoOffsetReset: 'earliest' })

await untilStopped(async (signal) => {
  await consumer.subscribe([TOPIC])
  console.log('ready')
  while (!signal.aborted) {
    const records = await consumer.poll({ signal })
    if (records.length === 0) continue
    await statistics.count(records.map(eventOf))
    await consumer.commit(records)
  }
})
await consumer.close()
await kafka.close()
await statistics.close()
