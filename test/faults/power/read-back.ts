import { Client, MyKafkaError } from '../../../src/client/index.js'
import { fetch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { readBatches } from '../../support/kafka-records.js'
import type { FoundRecord } from '../../support/ledger.js'
import type { FoundLog, PartitionLedger } from './partition-ledger.js'
import type { Wire } from './writer.js'

/** Everything that a broker serves of a partition. */
export async function readBack(port: number, { topic, partition }: PartitionLedger, wire: Wire): Promise<FoundLog> {
  const client = await Client.connect({ port })
  const peer = await KafkaPeer.connect(port)
  const fetchFrom = (offset: number): Promise<readonly FoundRecord[] | null> =>
    wire === 'MyKafka' ? overMyKafka(client, topic, partition, offset) : overKafka(peer, topic, partition, offset)
  try {
    for (;;) {
      const [described] = await client.metadata(topic)
      const { logStartOffset: start, highWatermark: end } = described?.partitions[partition] ?? {
        logStartOffset: 0,
        highWatermark: 0,
      }
      const records = await readAll(start, end, fetchFrom)
      if (records !== null) return { start, end, records }
    }
  } finally {
    peer.peer.socket.destroy()
    await client.close()
  }
}

/** Null where retention has gone on meanwhile. */
async function readAll(
  start: number,
  end: number,
  fetchFrom: (offset: number) => Promise<readonly FoundRecord[] | null>,
): Promise<FoundRecord[] | null> {
  const all: FoundRecord[] = []
  for (let offset = start; offset < end; ) {
    const some = await fetchFrom(offset)
    if (some === null) return null
    // A compacted log may end with what is gone.
    if (some.length === 0) return all
    for (const record of some) all.push(record)
    offset = (some.at(-1) as FoundRecord).offset + 1
  }
  return all
}

async function overMyKafka(
  client: Client,
  topic: string,
  partition: number,
  offset: number,
): Promise<readonly FoundRecord[] | null> {
  try {
    return await client.fetch(topic, partition, offset)
  } catch (error) {
    if (error instanceof MyKafkaError && error.code === 'OFFSET_OUT_OF_RANGE') return null
    throw error
  }
}

const OFFSET_OUT_OF_RANGE = 1

async function overKafka(
  peer: KafkaPeer,
  topic: string,
  partition: number,
  offset: number,
): Promise<readonly FoundRecord[] | null> {
  const [found] = await fetch(peer, { topic, partition, offset })
  if (found?.errorCode === OFFSET_OUT_OF_RANGE) return null
  if (found?.errorCode !== 0)
    throw new Error(`a Fetch of ${topic}-${partition} from ${offset} answered ${found?.errorCode}`)
  return await readBatches(found.records, offset)
}
