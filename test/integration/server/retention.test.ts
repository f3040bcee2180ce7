import { expect, it } from 'vitest'
import { listOffsetsApi } from '../../../src/wire/kafka/generated/list-offsets.js'
import { fetchSome } from '../../support/both-wires.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { makeTopicWith } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { fetchBatches, readBatches } from '../../support/kafka-records.js'
import type { Peer } from '../../support/peer.js'

const RECORDS = 3000
const AT_ONCE = 20
const EARLIEST = -2

const valueAt = (offset: number): string => `record ${offset} `.padEnd(120, String.fromCharCode(97 + (offset % 26)))

async function earliest(kafka: KafkaPeer, topic: string): Promise<number> {
  const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: EARLIEST }]
  const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: topic, partitions }] }
  const { topics } = await kafka.call(listOffsetsApi, 9, request)
  return topics[0]?.partitions[0]?.offset as number
}

async function write(peer: Peer, topic: string): Promise<void> {
  for (let offset = 0; offset < RECORDS; offset += AT_ONCE) {
    const records = Array.from({ length: AT_ONCE }, (_, i) => ({ value: valueAt(offset + i) }))
    const { errorCode, baseOffset } = frames.readProduced(await peer.call(frames.produce(topic, 0, records)))
    if (errorCode !== 0 || baseOffset !== offset) throw new Error(`error ${errorCode}, ${baseOffset} for ${offset}`)
  }
}

type Found = { errorCode: number; records: readonly { offset: number; value: Buffer | null }[] }
type ReadSome = (offset: number) => Promise<Found>

/** Reads to the end, from the beginning wherever that is by then. Returns how many records it saw, and resets. */
async function read(kafka: KafkaPeer, topic: string, some: ReadSome): Promise<{ seen: number; resets: number }> {
  let [offset, seen, resets] = [0, 0, 0]
  while (offset < RECORDS) {
    const { errorCode, records } = await some(offset)
    if (errorCode === frames.ERROR.offsetOutOfRange) {
      const start = await earliest(kafka, topic)
      if (start <= offset) throw new Error(`offset ${offset} was refused, and the log begins at ${start}`)
      offset = start
      resets++
      continue
    }
    if (errorCode !== 0) throw new Error(`error ${errorCode} at ${offset}`)
    for (const record of records) {
      if (record.offset !== offset) throw new Error(`${record.offset} where ${offset} should be`)
      if (record.value?.toString() !== valueAt(offset)) throw new Error(`${offset} is ${record.value}`)
      offset++
      seen++
    }
  }
  return { seen, resets }
}

async function readers(broker: TestBroker, topic: string): Promise<Promise<{ seen: number; resets: number }>[]> {
  const reading: Promise<{ seen: number; resets: number }>[] = []
  for (const maxBytes of [500, 4000, 40_000]) {
    const kafka = await KafkaPeer.connect(broker.port)
    const peer = await broker.connect()
    const overKafka = async (offset: number): Promise<Found> => {
      const { errorCode, batches } = await fetchBatches(kafka, topic, offset, { maxBytes })
      return { errorCode, records: await readBatches(batches, offset) }
    }
    const overMyKafka = async (offset: number): Promise<Found> => {
      const { errorCode, entries } = await fetchSome(peer, topic, offset, maxBytes)
      return { errorCode, records: entries }
    }
    const lookups = await KafkaPeer.connect(broker.port)
    reading.push(read(kafka, topic, overKafka), read(lookups, topic, overMyKafka))
  }
  return reading
}

it('readers of both wires get no wrong byte while retention removes what they read', async () => {
  const broker = await startBroker({ retentionCheckIntervalMs: 1 })
  const kafka = await KafkaPeer.connect(broker.port)
  const configs = { 'segment.bytes': '4096', 'retention.bytes': '16384', 'file.delete.delay.ms': '0' }
  await makeTopicWith(kafka, 'm', { ...configs, 'record.format': 'mykafka' })
  await makeTopicWith(kafka, 'k', { ...configs, 'record.format': 'kafka' })
  const reading = [...(await readers(broker, 'm')), ...(await readers(broker, 'k'))]
  await Promise.all([write(await broker.connect(), 'm'), write(await broker.connect(), 'k')])
  const results = await Promise.all(reading)
  for (const { seen } of results) expect(seen).toBeGreaterThan(0)
  for (const topic of ['m', 'k']) expect(await earliest(kafka, topic)).toBeGreaterThan(RECORDS / 2)
  expect(broker.logger.messages('error')).toEqual([])
  expect(broker.logger.messages('info').filter((line) => line.startsWith('removed a segment: '))).not.toEqual([])
})

it('what lies below the log start is refused on both wires, and the rest is there', async () => {
  const broker = await startBroker({ retentionCheckIntervalMs: 5 })
  const kafka = await KafkaPeer.connect(broker.port)
  const peer = await broker.connect()
  await makeTopicWith(kafka, 'm', { 'segment.bytes': '4096', 'retention.bytes': '8192', 'record.format': 'mykafka' })
  await makeTopicWith(kafka, 'k', { 'segment.bytes': '4096', 'retention.bytes': '8192', 'record.format': 'kafka' })
  for (const topic of ['m', 'k']) {
    await write(peer, topic)
    // Each check finds the log smaller, until there is nothing more to remove.
    let start = 0
    while (start < RECORDS - 100) start = await earliest(kafka, topic)
    expect((await fetchSome(peer, topic, start - 1)).errorCode).toBe(frames.ERROR.offsetOutOfRange)
    expect((await fetchBatches(kafka, topic, start - 1)).errorCode).toBe(frames.ERROR.offsetOutOfRange)
    expect((await fetchSome(peer, topic, start)).entries[0]?.offset).toBe(start)
    expect((await readBatches((await fetchBatches(kafka, topic, start)).batches, start))[0]?.offset).toBe(start)
  }
})
