import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBroker } from '../../support/broker.js'
import { ChildBroker } from '../../support/child-broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { testRandom } from '../../support/random.js'
import { scaled } from '../../support/scale.js'

const MEBIBYTE = 1 << 20

it('leaves nothing behind hundreds of connections, however they end', async () => {
  const broker = await ChildBroker.start({ flushIntervalMs: 20, fsync: 'acks', segmentBytes: MEBIBYTE })
  const random = testRandom()
  const filler = await broker.connect()
  await filler.call(frames.createTopic('t', 1))
  for (let i = 0; i < 8; i++) await filler.call(frames.produce('t', 0, [{ value: random.bytes(MEBIBYTE) }]))
  filler.socket.destroy()

  const request = frames.fetch('t', 0, 0, 8 * MEBIBYTE)
  const endings: ((peer: Peer) => Promise<unknown>)[] = [
    async (peer) => peer.socket.destroy(),
    async (peer) => peer.socket.resetAndDestroy(),
    async (peer) => peer.socket.end(),
    // In the middle of a request.
    async (peer) => peer.send(request.subarray(0, random.integer(1, request.length - 1))).socket.destroy(),
    async (peer) => peer.send(request.subarray(0, random.integer(1, request.length - 1))).socket.resetAndDestroy(),
    async (peer) => peer.send(request.subarray(0, random.integer(1, request.length - 1))).socket.end(),
    // With the answer under way, read by nobody.
    async (peer) => {
      peer.send(request, request)
      await new Promise((resolve) => peer.socket.once('data', resolve))
      peer.socket.pause()
      await delay(random.integer(0, 5))
      peer.socket.resetAndDestroy()
    },
    async (peer) => {
      peer.send(request)
      await new Promise((resolve) => peer.socket.once('data', resolve))
      peer.socket.destroy()
    },
    // Closed on this side while the answer is owed, which still comes.
    async (peer) => {
      peer.send(request).socket.end()
      expect(frames.readFetched(await peer.frame()).errorCode).toBe(0)
      await peer.closed
    },
    async (peer) => {
      peer.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
      await peer.closed
    },
  ]
  const round = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const peer = await broker.connect()
          await endings[(done + i) % endings.length]?.(peer)
          if (!peer.socket.destroyed) await peer.closed
        }),
      )
    }
    await expect.poll(async () => (await broker.ask('figures')).connections, { timeout: 10_000 }).toBe(0)
  }
  // Sockets' descriptors; what a process opens on first use (threads' events, the log's files) stays.
  const sockets = async (): Promise<string[]> => {
    const { descriptors } = await broker.ask('figures')
    return descriptors.filter((name) => name.startsWith('socket:'))
  }
  await round(20)
  const before = await sockets()
  await round(scaled(400, 1000))
  expect(await sockets()).toEqual(before)

  // A file that is still in use would stay open.
  const files = async (): Promise<string[]> => {
    const { descriptors } = await broker.ask('figures')
    return descriptors.filter((name) => name.endsWith('.log'))
  }
  expect((await files()).length).toBeGreaterThan(1)
  await expect
    .poll(async () => {
      await broker.ask('closeIdleFiles')
      return (await files()).length
    })
    .toBe(1)
  expect((await broker.ask('messages')).filter((message) => message.startsWith('error'))).toEqual([])
})

it('closes what is beyond max.connections at once, and takes others when some have gone', async () => {
  const broker = await startBroker({ maxConnections: 3 })
  const peers = await Promise.all([1, 2, 3].map(() => broker.connect()))
  for (const peer of peers) await peer.call(frames.metadata(''))
  const refused = await broker.connect()
  await refused.closed
  await expect.poll(() => broker.logger.messages('warn')).toEqual(['refused: max.connections reached'])
  expect(broker.broker.connectionCount).toBe(3)
  peers[0]?.socket.destroy()
  await expect.poll(() => broker.broker.connectionCount).toBe(2)
  const next = await broker.connect()
  expect(await next.call(frames.metadata(''))).toEqual(frames.described(0, {}))
})

describe('connections.max.idle.ms', () => {
  const LIMIT = 600_000
  const SWEEP = 30_000

  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  /** Lets time pass, and the loop turn. */
  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += SWEEP) {
      vi.advanceTimersByTime(SWEEP)
      await turn()
    }
  }

  it('closes connections that are idle for so long, and none that is not', async () => {
    const broker = await startBroker({ maxIdleMs: LIMIT })
    const [idle, beginning, busy] = [await broker.connect(), await broker.connect(), await broker.connect()]
    await idle.call(frames.metadata(''))
    beginning.send(frames.metadata('').subarray(0, 5))
    for (let i = 0; i < 6; i++) {
      expect(await busy.call(frames.metadata(''))).toEqual(frames.described(0, {}))
      expect(broker.broker.connectionCount).toBe(3)
      await pass(i < 5 ? 100_000 : 2 * SWEEP)
    }
    await pass(100_000)
    await Promise.all([idle.closed, beginning.closed])
    const closed = broker.logger.lines.filter(({ fields }) => fields.reason === 'idle for connections.max.idle.ms')
    expect(new Set(closed.map(({ fields }) => fields.peer)).size).toBe(2)
    expect(await busy.call(frames.metadata(''))).toEqual(frames.described(0, {}))
  })

  it('counts from the end of the last answer on', async () => {
    const broker = await startBroker({ maxIdleMs: LIMIT })
    const peer = await broker.connect()
    await peer.call(frames.createTopic('t', 1))
    const value = Buffer.alloc(24 * MEBIBYTE, 'x')
    await peer.call(frames.produce('t', 0, [{ value }]))
    peer.socket.pause()
    peer.send(frames.fetch('t', 0, 0, 1))
    while (peer.socket.bytesWritten === 0) await turn()
    await delay(20)
    await pass(2 * LIMIT)
    peer.socket.resume()
    expect(frames.readFetched(await peer.frame()).records.length).toBe(28 + value.length)
    await pass(LIMIT - 2 * SWEEP)
    expect(await peer.call(frames.metadata('t'))).toEqual(frames.described(0, { t: [[0, 1]] }))
    await pass(LIMIT + 2 * SWEEP)
    await peer.closed
  })
})

it('keeps what it owes to a peer that has closed its side', async () => {
  const broker = await startBroker()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  const value = Buffer.alloc(3 * MEBIBYTE, 'x')
  peer.send(frames.produce('t', 0, [{ value }]), frames.fetch('t', 0, 0), frames.metadata('t'))
  peer.send(frames.metadata('t').subarray(0, 6))
  peer.socket.end()
  expect(await peer.frame()).toEqual(frames.produced(0, 0, 0, 1))
  expect(frames.readFetched(await peer.frame()).records.length).toBe(28 + value.length)
  expect(await peer.frame()).toEqual(frames.described(0, { t: [[0, 1]] }))
  await peer.closed
  expect(peer.unread).toBe(0)
  await expect.poll(() => broker.broker.connectionCount).toBe(0)
})
