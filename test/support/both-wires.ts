/** A broker with topics of both formats, and a client of each wire. */
import type { BrokerOptions } from '../../src/server/broker.js'
import { startBroker } from './broker.js'
import * as frames from './frames.js'
import { KafkaPeer } from './kafka-peer.js'
import { openLogs } from './log-manager.js'
import type { Peer } from './peer.js'
import { readStoredEntries } from './stored-format.js'
import { temporaryDirectory } from './temporary.js'

export interface BothWires {
  readonly mykafka: Peer
  readonly kafka: KafkaPeer
}

/** Topics of one partition: `m` keeps MyKafka's records, `k` Kafka's batches; `configs` are those of `k`. */
export async function startBothWires(
  options: BrokerOptions = {},
  configs: Record<string, string> = {},
): Promise<BothWires> {
  const dataDir = await temporaryDirectory()
  const logs = await openLogs(dataDir)
  await logs.createTopic('k', 1, configs, 'kafka')
  await logs.close()
  const { port, connect } = await startBroker({ dataDir, ...options })
  const mykafka = await connect()
  await mykafka.call(frames.createTopic('m', 1))
  return { mykafka, kafka: await KafkaPeer.connect(port) }
}

/** A record as MyKafka's FETCH gives it. */
export interface FetchedRecord {
  readonly offset: number
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
}

/** What one FETCH gives. */
export async function fetchSome(peer: Peer, topic: string, offset: number, maxBytes = 1 << 20) {
  const { errorCode, count, records } = frames.readFetched(await peer.call(frames.fetch(topic, 0, offset, maxBytes)))
  const entries: FetchedRecord[] = readStoredEntries(records).map(({ key, value, ...entry }) => {
    return { offset: Number(entry.offset), timestamp: Number(entry.timestamp), key, value }
  })
  if (entries.length !== count) throw new Error(`${entries.length} records where ${count} are announced`)
  return { errorCode, entries, bytes: records.length }
}

/** Every record of a topic from an offset on, as MyKafka's FETCH gives them. */
export async function fetchEntries(peer: Peer, topic: string, from = 0, maxBytes?: number): Promise<FetchedRecord[]> {
  const all: FetchedRecord[] = []
  for (let offset = from; ; offset = (all.at(-1)?.offset ?? -1) + 1) {
    const { errorCode, entries } = await fetchSome(peer, topic, offset, maxBytes)
    if (errorCode !== 0) throw new Error(`a FETCH from ${offset} answered ${errorCode}`)
    if (entries.length === 0) return all
    all.push(...entries)
  }
}
