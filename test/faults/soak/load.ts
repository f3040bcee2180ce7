/**
 * The load of a soak, a process of its own: producers, consumers, groups and administration of both wires, by our
 * clients, kafkajs and bare connections. Everyone goes on when the broker was away. It tells its parent how far each is.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isFailedCall } from '../history/clients/world.js'
import { compactedProducer, idlers, topicChanges, vanishing } from './load/disturbances.js'
import { kafkajsConsumer, kafkajsProducer, passingConsumer } from './load/kafkajs.js'
import type { Load } from './load/load.js'
import { batchProducer, clientConsumer, clientProducer, commits, fromTheBeginning } from './load/own-clients.js'

const [port, seed] = process.argv.slice(2).map(Number) as [number, number]

const ACTORS: Readonly<Record<string, (load: Load) => Promise<void>>> = {
  'kafkajs producer, idempotent, gzip': kafkajsProducer,
  'kafkajs consumer 1': kafkajsConsumer,
  'kafkajs consumer 2': kafkajsConsumer,
  'kafkajs consumer that comes and goes': passingConsumer,
  'batches of all codecs': batchProducer,
  'producer of mykafka/client': clientProducer,
  'consumer of mykafka/client': clientConsumer,
  'reader from the beginning': fromTheBeginning,
  'commits of a group without members': commits,
  'keys of compacted topics': compactedProducer,
  'topics that come and go': topicChanges,
  'idle connections': idlers,
  'connections that vanish': vanishing,
}

const progress: Record<string, number> = Object.fromEntries(Object.keys(ACTORS).map((name) => [name, 0]))
const failures: Record<string, number> = {}

async function goOn(name: string, actor: (load: Load) => Promise<void>, number: number): Promise<void> {
  const did = (): void => {
    progress[name] = (progress[name] as number) + 1
  }
  for (;;) {
    try {
      await actor({ port, seed: seed + number, did })
    } catch (error) {
      const { code, name: kind } = error as { code?: string; name?: string }
      if (!isFailedCall(error) && kind?.startsWith('KafkaJS') !== true) throw error
      if (code === 'CORRUPT_MESSAGE' || code === 'UNKNOWN_SERVER_ERROR') throw error
      const what = `${name}: ${code ?? kind}`
      failures[what] = (failures[what] ?? 0) + 1
    }
    await sleep(200)
  }
}

process.on('message', () => process.send?.({ progress, failures }))
process.on('disconnect', () => process.exit(0))
for (const [number, [name, actor]] of Object.entries(ACTORS).entries()) {
  goOn(name, actor, number).catch((error: unknown) => {
    console.error(`${name}: ${error instanceof Error ? error.stack : error}`)
    process.exit(1)
  })
}
