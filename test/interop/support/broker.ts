/** The broker that the clients meet: MyKafka as a process of its own, or Apache Kafka to compare with. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { BrokerProcess } from '../../support/broker-process.js'
import { ApacheKafka } from './apache-kafka.js'
import { isApacheKafka } from './broker-choice.js'
import { killPrograms } from './client-program.js'

export interface InteropBroker {
  readonly port: number
  /** host:port */
  readonly bootstrap: string
  /** The first segment of a partition. */
  segment(topic: string, partition: number): string
  /** Ends it by a signal and starts it on the same port again. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

let running: { broker: InteropBroker; stop: () => Promise<void> } | undefined

/** The broker of a file's tests; it is started for the first that asks. */
export async function sharedBroker(): Promise<InteropBroker> {
  running ??= await (isApacheKafka ? startApacheKafka() : startMyKafka())
  return running.broker
}

afterEach(killPrograms)

afterAll(async () => {
  await running?.stop()
  running = undefined
})

const SEGMENT = '00000000000000000000.log'

/** Records of 2001 are read long behind their writing, and records of 2033 do not make a segment of their own. */
const LASTING = { 'log.retention.ms': '-1', 'log.roll.ms': '9223372036854775807' }
/** Nobody waits for what happens in the background. */
const BACKGROUND = { 'log.cleaner.backoff.ms': '50', 'log.retention.check.interval.ms': '200' }
const ARGS = Object.entries({ ...LASTING, ...BACKGROUND }).flatMap(([name, value]) => [
  '--override',
  `${name}=${value}`,
])

async function startApacheKafka(): Promise<NonNullable<typeof running>> {
  const kafka = await ApacheKafka.start({ javaOptions: ['-Xmx768m'], properties: LASTING })
  const { port, dataDir } = kafka
  const segment = (topic: string, partition: number): string => join(dataDir, `${topic}-${partition}`, SEGMENT)
  const restart = (): Promise<void> => Promise.reject(new Error('Apache Kafka is not restarted here'))
  return { broker: { port, bootstrap: `127.0.0.1:${port}`, segment, restart }, stop: () => kafka.stop() }
}

async function startMyKafka(): Promise<NonNullable<typeof running>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mykafka-interop-'))
  let broker = await BrokerProcess.start({ dataDir, lasting: true, args: ARGS })
  const { port } = broker
  const segment = (topic: string, partition: number): string => join(dataDir, topic, String(partition), SEGMENT)
  const restart = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    await (signal === 'SIGKILL' ? broker.kill() : broker.stop())
    broker = await BrokerProcess.start({ dataDir, lasting: true, args: [...ARGS, '--port', String(port)] })
  }
  const stop = async (): Promise<void> => {
    await broker.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { broker: { port, bootstrap: `127.0.0.1:${port}`, segment, restart }, stop }
}
