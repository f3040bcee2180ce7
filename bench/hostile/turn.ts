import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '../../src/client/index.js'
import { socketsGone, socketsOf } from '../../test/hostile/support/hostile-round.js'
import { FEW, TOPIC_PREFIX } from '../partitions/layouts.js'
import type { Load, Outcome, PartitionWriter } from '../partitions/load.js'
import { exactBatch } from '../support/kafka-batch.js'
import { KafkaConnection } from '../support/kafka-connection.js'
import { residentMiB } from '../support/process-usage.js'
import { canPin, pin } from '../support/server-process.js'
import { StartedBroker } from '../support/started-broker.js'
import { TOPICS } from './attacks.js'

const ATTACKER = fileURLToPath(new URL('./attacker.ts', import.meta.url))
const BROKER_CORE = '0'
const OTHERS_CORE = '1'
/** How long what is there beforehand is left alone. */
const SETTLE_MS = 500
/** Of each topic that is fetched. */
const BATCHES = 32
const BATCH_BYTES = 1 << 20

export interface Sample {
  /** Of the client that means no harm. */
  readonly client: Outcome
  readonly rssBeforeMiB: number
  readonly rssPeakMiB: number
  /** Sockets that are left when all peers are gone, more than there were. */
  readonly socketsLeft: number
  /** Lines of the log. */
  readonly lines: number
}

/** Who goes about what beside the client; null: nobody. */
export interface Beside {
  readonly attack: string
  readonly kind: 'hostile' | 'valid'
}

async function prepare(port: number): Promise<void> {
  const client = await Client.connect({ port })
  await client.createTopic(`${TOPIC_PREFIX}-0`, FEW.partitions)
  await client.createTopic(TOPICS.converted, 1)
  const value = Buffer.alloc(100_000, 'mykafka ')
  for (let i = 0; i < BATCHES; i++) {
    await client.produce(TOPICS.converted, Array(10).fill({ value }), { partition: 0 })
  }
  await client.close()
  const kafka = await KafkaConnection.connect(port)
  await kafka.createTopic(TOPICS.stored)
  await kafka.createTopic(TOPICS.compacted, { 'cleanup.policy': 'compact' })
  await kafka.produce(TOPICS.stored, exactBatch(BATCH_BYTES, 1000).bytes, 1, BATCHES)
  kafka.close()
}

async function begin(port: number, { attack, kind }: Beside): Promise<ChildProcess> {
  const child = fork(ATTACKER, [String(port), attack, kind], { execArgv: ['--import', 'tsx'] })
  await once(child, 'message')
  if (canPin()) pin([child.pid as number], OTHERS_CORE)
  return child
}

/** A broker, and a client beside whoever there is. */
export async function takeTurn(
  directory: string,
  writer: PartitionWriter,
  load: Load,
  beside: Beside | null,
): Promise<Sample> {
  const dataDir = join(directory, 'data')
  await mkdir(dataDir)
  const broker = await StartedBroker.start(['--data-dir', dataDir, '--port', '0'])
  let attacker: ChildProcess | null = null
  try {
    if (canPin()) pin([broker.pid], BROKER_CORE)
    await prepare(broker.port)
    // What is opened by the first request of a kind stays open.
    await writer.write(broker.port, FEW, { ...load, counted: load.inFlight })
    const sockets = socketsOf(broker.pid)
    const rssBeforeMiB = residentMiB(broker.pid).now
    if (beside !== null) attacker = await begin(broker.port, beside)
    await delay(SETTLE_MS)
    const client = await writer.write(broker.port, FEW, load)
    if (attacker !== null) {
      const ended = once(attacker, 'exit')
      attacker.kill('SIGKILL')
      await ended
    }
    const rssPeakMiB = residentMiB(broker.pid).peak
    const left = (await socketsGone(broker.pid, sockets)) - sockets
    const lines = broker.output.split('\n').length - 1
    return { client, rssBeforeMiB, rssPeakMiB, socketsLeft: Math.max(0, left), lines }
  } finally {
    attacker?.kill('SIGKILL')
    await broker.kill()
    await rm(dataDir, { recursive: true })
  }
}
