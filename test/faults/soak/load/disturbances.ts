/** What makes a broker work beside the reading and writing: compaction, topics that come and go, odd connections. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../../../../src/client/index.js'
import { deleteTopicsApi } from '../../../../src/wire/kafka/generated/delete-topics.js'
import { ZERO_UUID } from '../../../../src/wire/kafka/uuid.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { check, produceBatch } from '../../history/clients/kafka-calls.js'
import { makeBatch } from '../../history/clients/made-records.js'
import { makeTopic, TOPICS } from '../topics.js'
import { type Load, REQUEST_TIMEOUT_MS, withKafka } from './load.js'

const KEYS = 5000
const CODECS = 5
const IDLE = 40
const FILLER = Buffer.from('what a key stands for '.repeat(20))

/** New values of the same keys, and tombstones. */
export async function compactedProducer(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  const client = await Client.connect({ port: load.port, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const keyed = (count: number) =>
    Array.from({ length: count }, () => ({
      key: Buffer.from(`key ${random.integer(1, KEYS)}`),
      value: random.next() < 0.05 ? null : FILLER.subarray(0, random.integer(0, FILLER.length)),
    }))
  try {
    await withKafka(load, async (kafka) => {
      for (;;) {
        const records = await makeBatch(keyed(50), random.integer(0, CODECS - 1))
        await produceBatch(kafka, 'keyed', random.integer(0, TOPICS.keyed.partitions - 1), { records, acks: 1 })
        await client.produce('keyed-records', keyed(50), { partition: 0 })
        load.did()
        await sleep(random.integer(20, 100))
      }
    })
  } finally {
    await client.close()
  }
}

/** Topics that are made, written to and deleted. */
export function topicChanges(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  return withKafka(load, async (kafka) => {
    const run = random.integer(0, 1e6) + Date.now()
    for (let number = 0; ; number++) {
      const name = `passing-${run}-${number}`
      await makeTopic(kafka, name, random.integer(1, 5), {})
      const records = await makeBatch([{ key: null, value: FILLER }], 0)
      await produceBatch(kafka, name, 0, { records, acks: -1 })
      const topics = [{ name, topicId: ZERO_UUID }]
      const { responses } = await kafka.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 5000 })
      check(responses[0]?.errorCode, `DeleteTopics of ${name}`)
      load.did()
      await sleep(random.integer(500, 2000))
    }
  })
}

/** Connections that are there, and of which one is made anew now and then. */
export async function idlers(load: Load): Promise<void> {
  const sockets: Socket[] = []
  try {
    for (;;) {
      sockets.push(await open(load))
      if (sockets.length > IDLE) sockets.shift()?.end()
      load.did()
      await sleep(500)
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Connections that end in the middle of something: of a frame, of what they are sent, of a wait. */
export async function vanishing(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  const half = Buffer.from([0, 0, 1, 0, 0, 3, 0, 1, 0, 0])
  for (;;) {
    const socket = await open(load)
    const kind = random.integer(0, 3)
    if (kind === 0) socket.write(half)
    else if (kind === 1) socket.write(random.bytes(random.integer(1, 5000)))
    else if (kind === 2) await fetchUnread(load, socket)
    await sleep(random.integer(0, 300))
    if (random.next() < 0.5) socket.resetAndDestroy()
    else socket.destroy()
    load.did()
  }
}

/** Asks for records and takes none of them. */
async function fetchUnread({ port }: Load, socket: Socket): Promise<void> {
  socket.pause()
  const client = await Client.connect({ port, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const waiting = client.awaitRecords([{ topic: 'records', partition: 2, offset: 1 << 30 }], { maxWaitMs: 4000 })
  waiting.catch(() => {})
  await sleep(50)
  await client.close()
}

async function open({ port }: Load): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  // The broker may end it, or be gone.
  socket.on('error', () => {})
  return socket
}
