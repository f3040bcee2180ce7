// A process that ends with a log or a broker busy: see test/hazards/ending.test.ts.
import { setTimeout as delay } from 'node:timers/promises'
import { Broker, Log } from 'mykafka'
import { Client } from 'mykafka/client'

const [what, how, directory, milliseconds] = process.argv.slice(2)
const zeroCopy = process.env.MYKAFKA_ZERO_COPY !== 'off'
let began
const beginning = new Promise((resolve) => {
  began = resolve
})
const acknowledged = (offset) => {
  process.send(offset)
  began()
}

async function busyLog() {
  const log = await Log.open(directory, { segmentBytes: 1 << 20 })
  const append = async (bytes, acks) => {
    for (;;) acknowledged(await log.append({ value: Buffer.alloc(bytes, 'x') }, { acks }))
  }
  for (const work of [append(100, 1), append(400_000, 1), append(50, 'all')]) work.catch(() => {})
  const check = async () => {
    for (;;) {
      await log.verify()
      await log.flush()
    }
  }
  check().catch(() => {})
}

async function busyBroker() {
  const broker = await Broker.start({ dataDir: directory, port: 0, zeroCopy, segmentBytes: 1 << 20 })
  const connect = () => Client.connect({ port: broker.port })
  const [producer, reader] = [await connect(), await connect()]
  await producer.createTopic('t', 1)
  const produce = async (bytes) => {
    for (;;) {
      const { baseOffset } = await producer.produce('t', [{ value: Buffer.alloc(bytes, 'x') }], { partition: 0 })
      acknowledged(baseOffset)
    }
  }
  const fetch = async () => {
    for (;;) await reader.fetchRaw('t', 0, 0, { maxBytes: 8 << 20 })
  }
  for (const work of [produce(100), produce(400_000), fetch(), fetch()]) work.catch(() => {})
}

async function idleLog() {
  const log = await Log.open(directory)
  acknowledged(await log.append({ value: 'x' }))
  acknowledged(await log.append({ value: 'x' }, { acks: 'all' }))
  process.channel.unref()
}

await { busyLog, busyBroker, idleLog }[what]()
await beginning
await delay(Number(milliseconds))
if (how === 'exit') process.exit(0)
if (how === 'throw') throw new Error('on purpose')
if (how === 'signal') process.kill(process.pid, 'SIGTERM')
