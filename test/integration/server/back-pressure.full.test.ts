import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ChildBroker } from '../../support/child-broker.js'
import * as frames from '../../support/frames.js'
import { growth } from '../../support/memory-growth.js'
import type { Peer } from '../../support/peer.js'

const MEBIBYTE = 1 << 20

/** Sends the frames as long as the broker takes them; returns how many it took. */
async function sendWhileTaken(peer: Peer, request: Buffer, most: number): Promise<number> {
  const chunk = Buffer.concat(Array(100).fill(request))
  let sent = 0
  while (sent < most) {
    sent += 100
    if (peer.socket.write(chunk)) continue
    const taken = await Promise.race([once(peer.socket, 'drain').then(() => true), delay(1000).then(() => false)])
    if (!taken) break
  }
  return sent
}

it('holds little for a client that asks 100000 times and reads nothing', async () => {
  const broker = await ChildBroker.start()
  const setup = await broker.connect()
  await setup.call(frames.createTopic('t', 1))
  await setup.call(frames.produce('t', 0, [{ value: Buffer.alloc(500, 'x') }]))
  const { peakRss } = await broker.ask('figures')

  const peer = await broker.connect()
  peer.socket.pause()
  const sent = await sendWhileTaken(peer, frames.fetch('t', 0, 0), 100_000)
  expect(await growth(broker, peakRss, `${sent} small FETCHes unread`)).toBeLessThan(100)
  expect(await setup.call(frames.fetch('t', 0, 1))).toEqual(frames.fetched(0, 0))

  // It waits, and loses nothing.
  peer.socket.resume()
  const [first, ...others] = await peer.frames(sent)
  expect(frames.readFetched(first as Buffer)).toMatchObject({ errorCode: 0, count: 1 })
  expect(others.every((answer) => answer.equals(first as Buffer))).toBe(true)
})

it('holds little for clients that ask for much and read nothing', async () => {
  const broker = await ChildBroker.start()
  const setup = await broker.connect()
  await setup.call(frames.createTopic('t', 100))
  await setup.call(frames.createTopic('many', 500))
  for (let i = 0; i < 4; i++) await setup.call(frames.produce('t', 0, [{ value: Buffer.alloc(MEBIBYTE, i) }]))
  const { peakRss } = await broker.ask('figures')

  // Answers of 8 KB that are made in memory, and of 4 MB that lie in a file.
  const requests = [frames.metadata('many'), frames.fetch('t', 0, 0, 8 * MEBIBYTE)]
  const peers = await Promise.all(Array.from({ length: 20 }, () => broker.connect()))
  const sent = await Promise.all(
    peers.map((peer, i) => {
      peer.socket.pause()
      return sendWhileTaken(peer, requests[i % 2] as Buffer, 5000)
    }),
  )
  const total = sent.reduce((sum, count) => sum + count, 0)
  // 10 connections may hold 4 MiB of METADATA each.
  expect(await growth(broker, peakRss, `${total} large requests of 20 clients unread`)).toBeLessThan(200)
  expect(await setup.call(frames.fetch('t', 1, 0))).toEqual(frames.fetched(0, 0))
})

it('holds little of the records that a client sends faster than they are written', async () => {
  const broker = await ChildBroker.start()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  const request = frames.produce('t', 0, [{ value: Buffer.alloc(8 * MEBIBYTE, 'x') }])
  await peer.call(request)
  const { peakRss } = await broker.ask('figures')
  for (let i = 0; i < 50; i++) peer.send(request)
  for (let i = 1; i <= 50; i++) expect(await peer.frame()).toEqual(frames.produced(0, 0, i, 1))
  expect(await growth(broker, peakRss, '400 MiB of PRODUCEs at once')).toBeLessThan(300)
})

it('serves the others while some fill the memory for responses', async () => {
  const broker = await ChildBroker.start({ maxResponseBytes: 2 * MEBIBYTE, stallTimeoutMs: 60_000 })
  const peer = await broker.connect()
  await peer.call(frames.createTopic('many', 500))
  await peer.call(frames.createTopic('t', 1))
  await peer.call(frames.produce('t', 0, [{ value: Buffer.alloc(MEBIBYTE, 'x') }]))
  const stalled = await Promise.all(Array.from({ length: 5 }, () => broker.connect()))
  for (const each of stalled) {
    each.socket.pause()
    each.send(...Array(1600).fill(frames.metadata('many')))
  }
  // Answers in memory and in a file, small and large, and more of them than are taken at a time.
  for (let i = 0; i < 50; i++) {
    peer.send(frames.metadata('many'), frames.fetch('t', 0, 0), frames.fetch('t', 0, 1))
    expect((await peer.frame()).length).toBeGreaterThan(8000)
    expect(frames.readFetched(await peer.frame()).count).toBe(1)
    expect(await peer.frame()).toEqual(frames.fetched(0, 0))
  }
  expect((await broker.ask('figures')).connections).toBe(6)
  // Those go on as well, as soon as they read.
  for (const each of stalled) each.socket.resume()
  for (const each of stalled) expect((await each.frames(1600)).every(({ length }) => length > 8000)).toBe(true)
})
