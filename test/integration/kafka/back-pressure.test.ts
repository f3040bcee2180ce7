import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { ChildBroker } from '../../support/child-broker.js'
import * as frames from '../../support/frames.js'
import { fetch, fetchRequest, makeTopicWith, produce, sentBatch, storedBatch } from '../../support/kafka-calls.js'
import { KafkaPeer, requestFrame } from '../../support/kafka-peer.js'
import { growth } from '../../support/memory-growth.js'

const MEBIBYTE = 1 << 20
const FOREVER_MS = 2 ** 31 - 1
const one = sentBatch('one record')

/** Sends the frames as long as the broker takes them. */
async function sendWhileTaken({ peer }: KafkaPeer, request: Buffer, most: number): Promise<void> {
  const chunk = Buffer.concat(Array(50).fill(request))
  for (let sent = 0; sent < most; sent += 50) {
    if (peer.socket.write(chunk)) continue
    const taken = await Promise.race([once(peer.socket, 'drain').then(() => true), delay(500).then(() => false)])
    if (!taken) return
  }
}

it('holds little for clients that wait, and nothing when they are gone', async () => {
  const broker = await ChildBroker.start()
  const setup = await KafkaPeer.connect(broker.port)
  const partitions = 50
  await makeTopicWith(setup, 't', {}, partitions)
  const { peakRss } = await broker.ask('figures')
  const from = Array.from({ length: partitions }, (_, partition) => ({ topic: 't', partition, offset: 0 }))
  const request = requestFrame(fetchApi, 12, fetchRequest(from, { minBytes: 1, maxWaitMs: FOREVER_MS }))
  const peers = await Promise.all(Array.from({ length: 50 }, () => KafkaPeer.connect(broker.port)))
  for (const { peer } of peers) peer.send(Buffer.concat(Array(100).fill(request)))
  // When these are answered, the broker has read the others.
  for (let i = 0; i < 10; i++) await fetch(setup, from)
  expect(await growth(broker, peakRss, '5000 waiting Fetches of 50 partitions')).toBeLessThan(100)
  for (const { peer } of peers.slice(1)) peer.socket.destroy()
  await produce(setup, 't', one)
  const answer = await (peers[0] as KafkaPeer).peer.frame()
  expect(answer.includes(storedBatch(one, 0))).toBe(true)
})

it('holds little for clients that fetch much and read nothing, of either format', async () => {
  const broker = await ChildBroker.start()
  const setup = await KafkaPeer.connect(broker.port)
  const ours = await broker.connect()
  await makeTopicWith(setup, 'stored', {})
  await ours.call(frames.createTopic('converted', 1))
  for (let i = 0; i < 4; i++) {
    await ours.call(frames.produce('converted', 0, [{ value: Buffer.alloc(MEBIBYTE, i) }]))
    for (let batch = 0; batch < 100; batch++) await produce(setup, 'stored', sentBatch('60 records'))
  }
  const { peakRss } = await broker.ask('figures')
  const requests = ['stored', 'converted'].map((topic) =>
    requestFrame(
      fetchApi,
      12,
      fetchRequest([{ topic, offset: 0, maxBytes: 8 * MEBIBYTE }], { maxBytes: 8 * MEBIBYTE }),
    ),
  )
  const peers = await Promise.all(Array.from({ length: 16 }, () => KafkaPeer.connect(broker.port)))
  for (const { peer } of peers) peer.socket.pause()
  await Promise.all(peers.map((peer, i) => sendWhileTaken(peer, requests[i % 2] as Buffer, 2000)))
  expect(await growth(broker, peakRss, '32000 large Fetches of 16 clients unread')).toBeLessThan(400)
  expect(await fetch(setup, { topic: 'stored', offset: 0 })).toMatchObject([{ errorCode: 0 }])
})
