/**
 * The reader of the fetch benchmark where there is no C compiler: as cheap as Node allows. Takes and prints what
 * fetch-reader.c does.
 *
 * @module
 */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fetchApi } from '../src/wire/kafka/generated/fetch.js'
import { encodeRequest as encodeKafkaRequest } from '../src/wire/kafka/request-header.js'
import { ZERO_UUID } from '../src/wire/kafka/uuid.js'
import { encodeRequest } from '../src/wire/mykafka/fetch.js'
import { quantile } from './support/statistics.js'

const KAFKA_VERSION = 11
const READ_BUFFER = Buffer.allocUnsafeSlow(256 << 10)

const topic = process.argv[4] as string
const isKafka = process.argv[9] === 'kafka'
const headBytes = isKafka ? 70 + topic.length : 10
const [port, connections, , bytes, perRange, ranges, milliseconds] = process.argv
  .slice(2, 9)
  .map(Number) as number[] as [number, number, number, number, number, number, number]

const requests = Array.from({ length: ranges }, (_, i) =>
  isKafka ? kafkaRequest(i * perRange) : encodeRequest(topic, 0, i * perRange, bytes),
)
const latencies: number[] = []
const begin = performance.now()

function kafkaRequest(fetchOffset: number): Buffer {
  const partition = { partition: 0, fetchOffset, logStartOffset: -1, partitionMaxBytes: bytes }
  const request = {
    clusterId: null,
    replicaId: -1,
    replicaState: { replicaId: -1, replicaEpoch: -1n },
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: bytes,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [
      {
        topic,
        topicId: ZERO_UUID,
        partitions: [{ ...partition, currentLeaderEpoch: -1, lastFetchedEpoch: -1, replicaDirectoryId: ZERO_UUID }],
      },
    ],
    forgottenTopicsData: [],
    rackId: '',
  }
  return Buffer.concat(encodeKafkaRequest(fetchApi, request, KAFKA_VERSION, 0, null) as Buffer[])
}

async function readOn(first: number): Promise<void> {
  let next = first
  let missing = 0
  let sentAt = 0
  const ask = (now: number): void => {
    if (now > begin + milliseconds) {
      socket.end()
      return
    }
    missing = headBytes + bytes
    sentAt = now
    socket.write(requests[next++ % ranges] as Buffer)
  }
  const socket: Socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (length) => {
        missing -= length
        if (missing > 0) return true
        const now = performance.now()
        latencies.push(now - sentAt)
        ask(now)
        return true
      },
    },
  })
  await once(socket, 'connect')
  ask(performance.now())
  await once(socket, 'close')
  if (missing !== 0) throw new Error(`a connection was closed with ${missing} bytes missing`)
}

// The connections begin in different places, as consumers do.
await Promise.all(Array.from({ length: connections }, (_, i) => readOn(Math.floor((i * ranges) / connections))))
const outcome = {
  seconds: (performance.now() - begin) / 1000,
  bytes: latencies.length * bytes,
  p50: quantile(latencies, 0.5),
  p99: quantile(latencies, 0.99),
}
console.log(JSON.stringify(outcome))
