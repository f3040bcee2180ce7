/** One measurement at a time: a client against a broker. */
import { setTimeout as sleep } from 'node:timers/promises'
import { askKafka } from '../support/kafka-connection.js'
import { cpuSecondsOf } from '../support/process-usage.js'
import type { ClientName, Clients, Duration, FetchTask, Load, ProduceTask } from './clients.js'
import type { Percentiles } from './java-output.js'
import type { Peer } from './peers.js'

export interface Sample {
  readonly recordsPerSecond: number
  /** Of the records' values, as Kafka's tools count. */
  readonly megabytesPerSecond: number
  /** The broker's, for all that the client sent or read, its warm-up included. */
  readonly cpuSecondsPerGb: number
  readonly clientBusy: number
  /** How much of its core the broker took, while it was measured. */
  readonly brokerBusy: number
}

/** What an acknowledgement stands for. */
export interface Durability {
  readonly name: string
  readonly acks: 1 | -1
  /** The broker of ours that it takes. */
  readonly fsync: 'acks' | 'never'
  /** Settings of the topic in Apache Kafka that make it mean the same. */
  readonly kafkaTopic: Readonly<Record<string, string>>
}

export const DURABILITIES: readonly Durability[] = [
  { name: 'acks=1, no fsync', acks: 1, fsync: 'acks', kafkaTopic: {} },
  { name: 'acks=all, no fsync', acks: -1, fsync: 'never', kafkaTopic: {} },
  { name: 'acks=all, fsync', acks: -1, fsync: 'acks', kafkaTopic: { 'flush.messages': '1' } },
]

/** Behind a deletion: what both brokers still do then is done. */
const REST_MS = 200

let topics = 0

/** A topic of its own while `measure` runs. */
async function withTopic<T>(
  peer: Peer,
  { kafkaTopic }: Durability,
  measure: (topic: string) => Promise<T>,
): Promise<T> {
  const topic = `bench-${topics++}`
  await askKafka(peer.port, (kafka) => kafka.createTopic(topic, peer.name === 'kafka' ? kafkaTopic : {}))
  try {
    return await measure(topic)
  } finally {
    await askKafka(peer.port, (kafka) => kafka.deleteTopic(topic))
    await sleep(REST_MS)
  }
}

export function produceSample(
  peer: Peer,
  clients: Clients,
  client: ClientName,
  { recordBytes, durability }: { readonly recordBytes: number; readonly durability: Durability },
  duration: Duration,
): Promise<Sample> {
  return withTopic(peer, durability, async (topic) => {
    const task: ProduceTask = { port: peer.port, topic, recordBytes, acks: durability.acks }
    const before = cpuSecondsOf(peer.pid)
    const load = await clients.produce(client, task, duration)
    const cpuSeconds = cpuSecondsOf(peer.pid) - before
    const records = await askKafka(peer.port, (kafka) => kafka.endOffset(topic))
    return sampleOf(load, recordBytes, cpuSeconds / (records * recordBytes))
  })
}

export async function fetchSample(
  peer: Peer,
  clients: Clients,
  client: ClientName,
  task: Omit<FetchTask, 'port'>,
  duration: Duration,
): Promise<Sample> {
  const before = cpuSecondsOf(peer.pid)
  const load = await clients.fetch(client, { port: peer.port, ...task }, duration)
  const cpuSeconds = cpuSecondsOf(peer.pid) - before
  return sampleOf(load, task.recordBytes, cpuSeconds / (load.records * task.recordBytes))
}

export function latencySample(
  peer: Peer,
  clients: Clients,
  client: Exclude<ClientName, 'bare'>,
  { recordBytes, durability }: { readonly recordBytes: number; readonly durability: Durability },
  duration: Duration & { readonly recordsPerSecond: number },
): Promise<Percentiles> {
  return withTopic(peer, durability, (topic) =>
    clients.latency(client, { port: peer.port, topic, recordBytes, acks: durability.acks }, duration),
  )
}

function sampleOf({ recordsPerSecond, clientBusy }: Load, recordBytes: number, cpuSecondsPerByte: number): Sample {
  const bytesPerSecond = recordsPerSecond * recordBytes
  return {
    recordsPerSecond,
    megabytesPerSecond: bytesPerSecond / 1e6,
    cpuSecondsPerGb: cpuSecondsPerByte * 1e9,
    clientBusy,
    brokerBusy: cpuSecondsPerByte * bytesPerSecond,
  }
}
