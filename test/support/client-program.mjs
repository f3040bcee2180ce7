// A program that leaves its client in one way or another, and has to end by itself: see test/integration/client/ending.test.ts.
// Whatever it writes to stderr is wrong.
import { connect } from 'mykafka/client'

const [how, target] = process.argv.slice(2)
process.on('unhandledRejection', (error) => console.error('unhandled:', error))
process.on('warning', (warning) => console.error('warning:', warning))

const overSockets = /^\d+$/.test(target)
const kafka = connect({
  ...(overSockets ? { brokers: `127.0.0.1:${target}` } : { dataDir: target }),
  reconnectBackoffMaxMs: 50,
})
const producer = kafka.producer(how === 'finds nobody' ? { maxBlockMs: 300 } : {})
const admin = kafka.admin(how === 'finds nobody' ? { defaultApiTimeoutMs: 300 } : {})
const consumer = kafka.consumer(how === 'finds nobody' ? { defaultApiTimeoutMs: 300 } : {})
const controller = new AbortController()

/** Asks for this and that, and awaits nothing. */
function ask(options) {
  const calls = [
    ...Array.from({ length: 10 }, (_, i) => producer.send({ topic: 't', value: String(i) }, options)),
    producer.flush(options),
    producer.send({ topic: '?', value: 'refused' }, options),
    // One that has partitions keeps its process, until it is closed.
    ...(how === 'leaves' ? [] : [consumer.subscribe('t', options), consumer.poll({ timeoutMs: 100, ...options })]),
    admin.listTopics(options),
    admin.listGroups(options),
    admin.createPartitions('t', 0, options),
  ]
  if (calls.some((call) => !(call instanceof Promise))) console.error('a call is no promise')
}

ask(how === 'aborts' ? { signal: controller.signal } : {})
if (how === 'closes') void kafka.close()
if (how === 'gives up') void kafka.close({ timeoutMs: 100 })
if (how === 'aborts') setTimeout(() => controller.abort(), 30)

const { sharedObjects } = process.report.getReport()
if (overSockets && sharedObjects.some((file) => file.endsWith('mykafka.node'))) console.error('the addon is loaded')
