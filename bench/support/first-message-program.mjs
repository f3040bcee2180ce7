// One process with a broker and kafkajs in it, both with their defaults, from nothing to the first message that a fresh
// group consumes. Prints the milliseconds of each step as JSON.
import { Kafka, logLevel } from 'kafkajs'
import { Broker } from '../../dist/lib/index.js'

const steps = {}
const begin = performance.now()
let last = begin
const step = (name) => {
  const now = performance.now()
  steps[name] = now - last
  last = now
}

const broker = await Broker.start()
step('broker')
const kafka = new Kafka({ clientId: 'bench', brokers: [broker.bootstrapServers], logLevel: logLevel.ERROR })
const producer = kafka.producer()
await producer.connect()
await producer.send({ topic: 'first', messages: [{ key: 'key', value: 'value' }] })
step('produced')
const consumer = kafka.consumer({ groupId: 'fresh' })
await consumer.connect()
await consumer.subscribe({ topic: 'first', fromBeginning: true })
await new Promise((resolve, reject) => {
  consumer.run({ eachMessage: async () => resolve() }).catch(reject)
})
step('consumed')
steps.total = last - begin
steps.process = performance.now()

await consumer.disconnect()
await producer.disconnect()
await broker.stop()
console.log(JSON.stringify(steps))
