/** What a broker needs before it takes the first record. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeBatch } from '../../src/log/record-batch-encoder.js'
import { askKafka } from '../support/kafka-connection.js'
import { residentMiB } from '../support/process-usage.js'
import { interleave } from '../support/statistics.js'
import { type Peer, startApacheKafka, startMyKafka } from './peers.js'

const IDLE_MS = 3000

export interface StartSample {
  /** From the start of the process to the first acknowledged Produce, into a topic that is made for it. */
  readonly firstProduceMs: number
  readonly idleRssMiB: number
}

/** Starts new brokers in turns, on all cores: nothing else runs meanwhile. */
export function startSamples(
  directory: string,
  rounds: number,
  cores: string,
): Promise<Record<'mykafka' | 'kafka', StartSample[]>> {
  let started = 0
  const fresh = (): string => join(directory, `start-${started++}`)
  return interleave(
    {
      mykafka: () => sampleOf(startMyKafka(fresh(), 'acks', cores)),
      kafka: () => sampleOf(startApacheKafka(fresh(), cores)),
    },
    { rounds, warmups: 0 },
  )
}

async function sampleOf(starting: Promise<Peer>): Promise<StartSample> {
  const peer = await starting
  try {
    await askKafka(peer.port, async (kafka) => {
      await kafka.createTopic('first')
      const record = { offset: 0, timestamp: Date.now(), key: null, value: Buffer.from('first') }
      await kafka.produce('first', encodeBatch([record]), 1)
    })
    const firstProduceMs = performance.now() - peer.spawnedAt
    await sleep(IDLE_MS)
    return { firstProduceMs, idleRssMiB: residentMiB(peer.pid).now }
  } finally {
    await peer.stop()
  }
}
