import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { native } from '../../src/native/load.js'
import { connectionsWithin, descriptorLimit } from '../../src/server/descriptor-limit.js'
import { fetchApi } from '../../src/wire/kafka/generated/fetch.js'
import { joinGroupApi } from '../../src/wire/kafka/generated/join-group.js'
import { metadataApi } from '../../src/wire/kafka/generated/metadata.js'
import { MAX_REQUEST_ELEMENTS } from '../../src/wire/kafka/kafka-reader.js'
import { ZERO_UUID } from '../../src/wire/kafka/uuid.js'
import { ChildBroker } from '../support/child-broker.js'
import * as frames from '../support/frames.js'
import { fetchRequest, makeTopicWith, produce, sentBatch } from '../support/kafka-calls.js'
import { KafkaPeer, requestFrame } from '../support/kafka-peer.js'
import { growth } from '../support/memory-growth.js'
import type { Peer } from '../support/peer.js'

const MEBIBYTE = 1 << 20

/** The beginning of a PRODUCE that announces 100 MB. */
function half(bytes: number): Buffer {
  const part = Buffer.alloc(bytes)
  part.write('063fffff000001740000000000000001', 'hex')
  return part
}

/** So many at the same time; connecting a few at a time. */
async function connectMany(broker: ChildBroker, count: number): Promise<Peer[]> {
  const peers: Peer[] = []
  while (peers.length < count) {
    peers.push(
      ...(await Promise.all(Array.from({ length: Math.min(100, count - peers.length) }, () => broker.connect()))),
    )
  }
  return peers
}

/** Others are served, however it goes: a small request and one of 2 MiB. */
async function expectServed(broker: ChildBroker): Promise<void> {
  const peer = await broker.connect()
  for (const bytes of [10, 2 * MEBIBYTE]) {
    const answer = await peer.call(frames.produce('t', 0, [{ value: Buffer.alloc(bytes, 'x') }]))
    expect(frames.readProduced(answer).errorCode).toBe(0)
  }
  peer.socket.destroy()
}

async function started(): Promise<{ broker: ChildBroker; peakRss: number }> {
  const broker = await ChildBroker.start()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  await expectServed(broker)
  return { broker, peakRss: (await broker.ask('figures')).peakRss }
}

it('1000 connections that announce 100 MB each and send much of it', async () => {
  const { broker, peakRss } = await started()
  const peers = await connectMany(broker, 1000)
  const part = half(MEBIBYTE)
  const more = Buffer.alloc(MEBIBYTE)
  for (const peer of peers) peer.send(part)
  for (let round = 0; round < 4; round++) {
    for (const peer of peers) if (peer.socket.writableLength < MEBIBYTE) peer.send(more)
    await expectServed(broker)
  }
  expect(await growth(broker, peakRss, '1000 half frames')).toBeLessThan(900)
})

it('1000 connections with 16 converting fetches each, unread', async () => {
  const { broker } = await started()
  const kafka = await KafkaPeer.connect(broker.port)
  // The batches are from long ago.
  await makeTopicWith(kafka, 'batches', { 'retention.ms': '-1' })
  const filler = await broker.connect()
  await filler.call(frames.createTopic('entries', 1))
  for (let i = 0; i < 8; i++) {
    await filler.call(frames.produce('entries', 0, [{ value: Buffer.alloc(MEBIBYTE / 2, i) }]))
    for (let batch = 0; batch < 50; batch++) await produce(kafka, 'batches', sentBatch('60 records'))
  }
  const { peakRss } = await broker.ask('figures')
  const ask = { maxBytes: 2 ** 31 - 1 }
  const requests = [
    frames.fetch('batches', 0, 0, 2 ** 31 - 1),
    requestFrame(fetchApi, 12, fetchRequest([{ topic: 'entries', offset: 0, ...ask }], ask)),
  ]
  const peers = await connectMany(broker, 1000)
  peers.forEach((peer, i) => {
    peer.socket.pause()
    peer.send(Buffer.concat(Array(16).fill(requests[i % 2])))
  })
  for (let i = 0; i < 5; i++) {
    await expectServed(broker)
    expect(frames.readFetched(await filler.call(requests[0] as Buffer)).count).toBeGreaterThan(0)
  }
  expect(await growth(broker, peakRss, '16000 converting fetches')).toBeLessThan(1200)
}, 240_000)

it('10000 connections, and those beyond the limit', async () => {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=40000:40000'], { stdio: 'ignore' })
  } catch {
    // Fewer, then.
  }
  const most = Math.min(10_000, connectionsWithin(descriptorLimit()))
  const { broker, peakRss } = await started()
  const peers = await connectMany(broker, most - 10)
  await expectServed(broker)
  expect(await growth(broker, peakRss, `${most} connections`)).toBeLessThan(600)
  const more = await connectMany(broker, 50)
  await Promise.all(more.slice(20).map(({ closed }) => closed))
  for (const peer of [...peers, ...more]) peer.socket.destroy()
  await expect.poll(async () => (await broker.ask('figures')).connections, { timeout: 30_000 }).toBeLessThan(10)
  await expectServed(broker)
  const refused = (await broker.ask('messages')).filter((message) => message.startsWith('warn: refused'))
  expect(refused).toHaveLength(1)
})

it('bombs of all codecs that a topic has to open, again and again', async () => {
  const { broker, peakRss } = await started()
  const kafka = await KafkaPeer.connect(broker.port)
  await makeTopicWith(kafka, 'compacted', { 'cleanup.policy': 'compact' }, 8)
  await makeTopicWith(kafka, 'entries', { 'record.format': 'mykafka' }, 8)
  const one = sentBatch('one record')
  const records = gzipSync(Buffer.alloc(99 * MEBIBYTE))
  const bomb = Buffer.concat([one.subarray(0, 61), records])
  bomb.writeInt32BE(bomb.length - 12, 8)
  bomb.writeInt16BE(1, 21)
  bomb.writeUInt32BE(native.crc32c(bomb.subarray(21)), 17)
  const peers = await Promise.all(Array.from({ length: 16 }, () => KafkaPeer.connect(broker.port)))
  const codes = await Promise.all(
    peers.map(async (peer, i) => {
      const told: number[] = []
      for (let round = 0; round < 4; round++) {
        const topic = round % 2 === 0 ? 'compacted' : 'entries'
        told.push((await produce(peer, topic, bomb, { partition: i % 8 })).errorCode)
      }
      return told
    }),
  )
  expect(codes.flat().every((code) => code !== 0)).toBe(true)
  await expectServed(broker)
  expect(await growth(broker, peakRss, '64 bombs of 99 MiB')).toBeLessThan(1000)
})

it('groups made up by the thousand, with much to say', async () => {
  const { broker, peakRss } = await started()
  const peers = await Promise.all(Array.from({ length: 8 }, () => KafkaPeer.connect(broker.port)))
  const join = (groupId: string) => ({
    groupId,
    sessionTimeoutMs: 1_800_000,
    rebalanceTimeoutMs: 2 ** 31 - 1,
    memberId: '',
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(MEBIBYTE) }],
    reason: null,
  })
  await Promise.all(
    peers.map(async (peer, i) => {
      for (let group = 0; group < 100; group++) await peer.call(joinGroupApi, 3, join(`${i}-${group}`))
    }),
  )
  await expectServed(broker)
  expect(await growth(broker, peakRss, '800 groups of 1 MiB')).toBeLessThan(800)
})

it('requests of as many names as there may be, whose answers nobody reads', async () => {
  const { broker, peakRss } = await started()
  const names = Array.from({ length: MAX_REQUEST_ELEMENTS }, (_, i) => ({ name: `nothing-${i}`, topicId: ZERO_UUID }))
  const flags = {
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  }
  const request = requestFrame(metadataApi, 9, { ...flags, topics: names })
  const peers = await connectMany(broker, 50)
  for (const peer of peers) {
    peer.socket.pause()
    peer.send(request, request)
  }
  await expectServed(broker)
  expect(await growth(broker, peakRss, `100 requests of ${names.length} names`)).toBeLessThan(1500)
})
