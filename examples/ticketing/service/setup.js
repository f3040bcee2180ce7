import { connect } from 'mykafka/client'
import { PARTITIONS, TOPIC } from './events.js'
import { settings } from './settings.js'
import { createStatistics } from './statistics-store.js'
import { createStore } from './store.js'

// Once, before everything else: the topic and the tables.
const kafka = connect({ brokers: settings.brokers })
// For ever: the log is what the API knows of the seats.
await kafka.admin().createTopic(TOPIC, { partitions: PARTITIONS, configs: { 'retention.ms': '-1' } })
await kafka.close()
await createStore(settings.database)
await createStatistics(settings.statistics)
console.log('ready')
