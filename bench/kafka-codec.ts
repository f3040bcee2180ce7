import { readInt64 } from '../src/integers.js'
import { type FetchRequest, type FetchResponse, fetchApi } from '../src/wire/kafka/generated/fetch.js'
import { type ProduceRequest, produceApi } from '../src/wire/kafka/generated/produce.js'
import type { KafkaApi } from '../src/wire/kafka/kafka-api.js'
import { KafkaReader } from '../src/wire/kafka/kafka-reader.js'
import { KafkaWriter } from '../src/wire/kafka/kafka-writer.js'
import { ZERO_UUID } from '../src/wire/kafka/uuid.js'
import type { Aim, Benchmark, Report } from './benchmark.js'
import { interleave, median, round, times } from './support/statistics.js'

const FULL = { messages: 100_000, rounds: 15 }
const QUICK = { messages: 2_000, rounds: 3 }
const PARTITIONS = 8
const FETCH_VERSION = 12
const PRODUCE_VERSION = 9
/** What the codec may cost against code that knows the message and checks nothing. */
const AIM = 1.5

const indexes = Array.from({ length: PARTITIONS }, (_, i) => i)

const fetchRequest: FetchRequest = {
  clusterId: null,
  replicaId: -1,
  replicaState: null,
  maxWaitMs: 500,
  minBytes: 1,
  maxBytes: 52428800,
  isolationLevel: 0,
  sessionId: 0,
  sessionEpoch: -1,
  topics: [
    {
      topic: 'orders',
      topicId: ZERO_UUID,
      partitions: indexes.map((partition) => ({
        partition,
        currentLeaderEpoch: 0,
        fetchOffset: 12_345_678_901 + partition,
        lastFetchedEpoch: -1,
        logStartOffset: -1,
        partitionMaxBytes: 1048576,
        replicaDirectoryId: ZERO_UUID,
      })),
    },
  ],
  forgottenTopicsData: [],
  rackId: '',
}

const fetchResponse: FetchResponse = {
  responses: [
    {
      topic: 'orders',
      topicId: ZERO_UUID,
      partitions: indexes.map((partitionIndex) => ({
        partitionIndex,
        errorCode: 0,
        highWatermark: 12_345_678_901,
        lastStableOffset: 12_345_678_901,
        logStartOffset: 0,
        records: null,
      })),
    },
  ],
}

const produceRequest: ProduceRequest = {
  transactionalId: null,
  acks: -1,
  timeoutMs: 30000,
  topicData: [{ name: 'orders', partitionData: [{ index: 3, records: Buffer.alloc(1024) }] }],
}

/**
 * The Fetch request read by hand: the same objects, nothing checked, and no other version or message. What is left out
 * here is what the codec's generality costs.
 */
function walkFetch(bytes: Buffer): FetchRequest {
  const topics = []
  let at = 25
  for (let left = (bytes[at++] as number) - 1; left > 0; left--) {
    const length = (bytes[at++] as number) - 1
    const topic = bytes.toString('latin1', at, at + length)
    at += length
    const partitions = []
    for (let count = (bytes[at++] as number) - 1; count > 0; count--) {
      partitions.push({
        partition: bytes.readInt32BE(at),
        currentLeaderEpoch: bytes.readInt32BE(at + 4),
        fetchOffset: readInt64(bytes, at + 8),
        lastFetchedEpoch: bytes.readInt32BE(at + 16),
        logStartOffset: readInt64(bytes, at + 20),
        partitionMaxBytes: bytes.readInt32BE(at + 28),
        replicaDirectoryId: ZERO_UUID,
      })
      at += 33
    }
    at++
    topics.push({ topic, topicId: ZERO_UUID, partitions })
  }
  const rackLength = (bytes[at + 1] as number) - 1
  return {
    clusterId: null,
    replicaId: bytes.readInt32BE(0),
    replicaState: null,
    maxWaitMs: bytes.readInt32BE(4),
    minBytes: bytes.readInt32BE(8),
    maxBytes: bytes.readInt32BE(12),
    isolationLevel: bytes.readInt8(16),
    sessionId: bytes.readInt32BE(17),
    sessionEpoch: bytes.readInt32BE(21),
    topics,
    forgottenTopicsData: [],
    rackId: rackLength === 0 ? '' : bytes.toString('latin1', at + 2, at + 2 + rackLength),
  }
}

function encoded<Req>(api: KafkaApi<Req, unknown>, request: Req, version: number): Buffer {
  const writer = new KafkaWriter()
  api.encodeRequest(writer, request, version)
  return Buffer.concat(writer.finish() as Buffer[])
}

/** Nanoseconds of a call. The sum keeps what it made from being left out. */
function timed(calls: number, once: () => number): number {
  let sum = 0
  const begin = process.hrtime.bigint()
  for (let i = 0; i < calls; i++) sum += once()
  const nanoseconds = Number(process.hrtime.bigint() - begin) / calls
  if (!Number.isFinite(sum)) throw new Error('nothing was decoded')
  return nanoseconds
}

async function run({ messages, rounds }: typeof FULL): Promise<Report> {
  const fetchBytes = encoded(fetchApi, fetchRequest, FETCH_VERSION)
  const produceBytes = encoded(produceApi, produceRequest, PRODUCE_VERSION)
  const walked = JSON.stringify(walkFetch(fetchBytes))
  if (walked !== JSON.stringify(fetchApi.decodeRequest(new KafkaReader(fetchBytes), FETCH_VERSION))) {
    throw new Error('the walk reads something else than the codec')
  }
  const samples = await interleave(
    {
      decode: async () =>
        timed(messages, () => fetchApi.decodeRequest(new KafkaReader(fetchBytes), FETCH_VERSION).topics.length),
      walk: async () => timed(messages, () => walkFetch(fetchBytes).topics.length),
      produce: async () =>
        timed(messages, () => produceApi.decodeRequest(new KafkaReader(produceBytes), PRODUCE_VERSION).acks),
      encode: async () =>
        timed(messages, () => {
          const writer = new KafkaWriter(true)
          fetchApi.encodeResponse(writer, fetchResponse, FETCH_VERSION)
          return writer.finish().length
        }),
    },
    { rounds, warmups: 3 },
  )
  const walk = median(samples.walk)
  const row = (name: string, nanoseconds: number) => [name, round(nanoseconds), times(nanoseconds / walk)]
  const ratio = median(samples.decode) / walk
  const aims: Aim[] = [
    { aim: `decoding a Fetch request at most ${AIM} times the walk`, measured: times(ratio), met: ratio <= AIM },
  ]
  return {
    settings: {
      messages,
      rounds,
      partitions: PARTITIONS,
      fetchVersion: FETCH_VERSION,
      produceVersion: PRODUCE_VERSION,
    },
    tables: [
      {
        title: `one message; Fetch of ${PARTITIONS} partitions, version ${FETCH_VERSION}; the walk checks nothing`,
        columns: ['what', 'ns', 'to the walk'],
        rows: [
          row('Fetch request, walked by hand', walk),
          row('Fetch request, decoded', median(samples.decode)),
          row('Fetch response, encoded', median(samples.encode)),
          row('Produce request of one batch, decoded', median(samples.produce)),
        ],
      },
    ],
    aims,
  }
}

export const kafkaCodec: Benchmark = {
  question: "What does it cost to decode and encode Kafka's messages, against code written by hand for one of them?",
  run: ({ quick }) => run(quick ? QUICK : FULL),
}
