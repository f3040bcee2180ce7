import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import { compactedBatch, writeCompacted, writeDense } from '../../support/compacted-log.js'
import * as frames from '../../support/frames.js'
import { makeTopic } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { fetchBatches, fetchRecords } from '../../support/kafka-records.js'
import type { Peer } from '../../support/peer.js'
import { readStoredEntries, storedEntry } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const entry = (offset: number) => storedEntry(offset, 1000 + offset, Buffer.from('k'), Buffer.from(`v${offset}`))

const BATCHES = [
  { baseOffset: 2, lastOffsetDelta: 3, deltas: [1, 3] },
  { baseOffset: 6, lastOffsetDelta: 4, deltas: [] },
  { baseOffset: 20, lastOffsetDelta: 0, deltas: [0] },
  { baseOffset: 30, lastOffsetDelta: 9, deltas: [] },
]

/** Replaces what a stopped broker has of partition 0 by [0, 50) with what is given, [50, 60) emptied, and [60, 62). */
async function compact(directory: string, left: readonly Buffer[], behind: readonly Buffer[]): Promise<void> {
  for (const name of await readdir(directory)) if (/^\d{20}\./.test(name)) await rm(join(directory, name))
  await writeCompacted(directory, 0, left)
  await writeCompacted(directory, 50, [])
  await writeDense(directory, 60, behind)
}

async function startWithCompactedTopics() {
  const dataDir = await temporaryDirectory()
  const first = await startBroker({ dataDir })
  await (await first.connect()).call(frames.createTopic('records', 1))
  await makeTopic(await KafkaPeer.connect(first.port), 'batches')
  await first.stop()
  await compact(join(dataDir, 'records', '0'), [3, 5, 20].map(entry), [60, 61].map(entry))
  await compact(join(dataDir, 'batches', '0'), BATCHES.map(compactedBatch), [
    compactedBatch({ baseOffset: 60, lastOffsetDelta: 1, deltas: [0, 1] }),
  ])
  return startBroker({ dataDir })
}

const LEFT = [3, 5, 20, 60, 61]

async function fetchOffsets(peer: Peer, topic: string, offset: number, maxBytes: number): Promise<number[]> {
  const { errorCode, count, records } = frames.readFetched(await peer.call(frames.fetch(topic, 0, offset, maxBytes)))
  expect(errorCode).toBe(0)
  const offsets = readStoredEntries(records).map((read) => Number(read.offset))
  expect(count).toBe(offsets.length)
  return offsets
}

it.each(['records', 'batches'])(
  "compacted %s are fetched over MyKafka's wire from any offset, each counted",
  async (topic) => {
    const { connect } = await startWithCompactedTopics()
    const peer = await connect()
    for (let offset = 0; offset <= 62; offset++) {
      const wanted = LEFT.filter((left) => left >= offset)
      expect(await fetchOffsets(peer, topic, offset, 1)).toEqual(wanted.slice(0, 1))
    }
    for (const offset of [0, 4, 6, 21, 45, 61]) {
      const all: number[] = []
      for (let next = offset; next < 62; next = (all.at(-1) as number) + 1) {
        all.push(...(await fetchOffsets(peer, topic, next, 1 << 20)))
      }
      expect(all).toEqual(LEFT.filter((left) => left >= offset))
    }
  },
)

it.each(['records', 'batches'])("compacted %s are fetched over Kafka's wire", async (topic) => {
  const { port } = await startWithCompactedTopics()
  const peer = await KafkaPeer.connect(port)
  for (const offset of [0, 3, 4, 21, 45, 60]) {
    const { errorCode, highWatermark, batches } = await fetchBatches(peer, topic, offset)
    expect({ errorCode, highWatermark }).toEqual({ errorCode: 0, highWatermark: 62 })
    expect(batches.length).toBeGreaterThan(0)
  }
  const records = await fetchRecords(peer, 'records')
  expect(records.map(({ offset }) => offset)).toEqual(LEFT)
})

it('batches without records go out over the Kafka wire as they are: clients know how far they got', async () => {
  const { port } = await startWithCompactedTopics()
  const { batches } = await fetchBatches(await KafkaPeer.connect(port), 'batches', 21)
  expect(batches.subarray(0, 61)).toEqual(compactedBatch({ baseOffset: 30, lastOffsetDelta: 9, deltas: [] }))
})
