import { expect, it } from 'vitest'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { startBroker } from '../../support/broker.js'
import {
  fetched,
  fetchRequest,
  makeTopicWith,
  produce,
  recordCount,
  sentBatch,
  storedBatch,
} from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { type Random, testRandom } from '../../support/random.js'

const PARTITIONS = 3
const PRODUCERS = 3
const CONSUMERS = 4
const EACH = 150

const BATCHES = ['one record', '60 records', 'gzip', 'zstd', 'nulls, headers, times out of order'].map(sentBatch)

/** Reads on, waiting at the end, in a session or without; gives every batch by partition and offset. */
async function consume(peer: KafkaPeer, random: Random, total: number): Promise<Map<string, string>> {
  const inSession = random.next() < 0.7
  const positions = Array.from({ length: PARTITIONS }, () => 0)
  const seen = new Map<string, string>()
  let session = { id: 0, epoch: inSession ? 0 : -1 }
  let moved = positions.map((_, partition) => partition)
  let records = 0
  while (records < total) {
    const asked = session.epoch <= 0 ? positions.map((_, partition) => partition) : moved
    const from = asked.map((partition) => ({ topic: 't', partition, offset: positions[partition] as number }))
    const options = {
      sessionId: session.id,
      sessionEpoch: session.epoch,
      minBytes: random.pick([1, 1, 100, 5000]),
      maxWaitMs: random.pick([0, 1, 20, 20]),
      maxBytes: random.pick([1, 500, 10_000, 1 << 20]),
    }
    const response = await peer.call(fetchApi, 12, fetchRequest(from, options))
    expect(response.errorCode).toBe(0)
    if (inSession) session = { id: response.sessionId as number, epoch: session.epoch + 1 }
    moved = []
    for (const { partitionIndex, errorCode, records: bytes } of fetched(response)) {
      expect(errorCode).toBe(0)
      for (let at = 0; at < bytes.length; ) {
        const batch = bytes.subarray(at, at + 12 + bytes.readInt32BE(at + 8))
        const offset = Number(batch.readBigInt64BE(0))
        expect(offset).toBe(positions[partitionIndex])
        seen.set(`${partitionIndex}/${offset}`, batch.toString('hex'))
        positions[partitionIndex] = offset + recordCount(batch)
        records += recordCount(batch)
        at += batch.length
      }
      if (bytes.length > 0) moved.push(partitionIndex)
    }
  }
  return seen
}

it('consumers at the tail see every batch once and in order, while segments roll', { timeout: 60_000 }, async () => {
  const random = testRandom()
  const broker = await startBroker({ segmentBytes: 64 << 10, indexIntervalBytes: 512 })
  const admin = await KafkaPeer.connect(broker.port)
  await makeTopicWith(admin, 't', {}, PARTITIONS)
  const written = new Map<string, string>()
  const plans = Array.from({ length: PRODUCERS }, () =>
    Array.from({ length: EACH }, () => [random.integer(0, PARTITIONS - 1), random.pick(BATCHES)] as const),
  )
  const total = plans.flat().reduce((sum, [, batch]) => sum + recordCount(batch), 0)
  const consumers = Array.from({ length: CONSUMERS }, async () =>
    consume(await KafkaPeer.connect(broker.port), random, total),
  )
  await Promise.all(
    plans.map(async (plan) => {
      const peer = await KafkaPeer.connect(broker.port)
      for (const [partition, batch] of plan) {
        const { errorCode, baseOffset } = await produce(peer, 't', batch, { partition })
        expect(errorCode).toBe(0)
        written.set(`${partition}/${baseOffset}`, storedBatch(batch, baseOffset).toString('hex'))
      }
    }),
  )
  const sorted = (batches: Map<string, string>) => [...batches].sort(([a], [b]) => a.localeCompare(b))
  for (const seen of await Promise.all(consumers)) expect(sorted(seen)).toEqual(sorted(written))
  expect(broker.logger.messages('error')).toEqual([])
})
