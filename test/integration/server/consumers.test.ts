import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { ChildBroker } from '../../support/child-broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { seededRandom } from '../../support/random.js'
import { readLog } from '../../support/read-log.js'
import { readStoredEntries } from '../../support/stored-format.js'

const MEBIBYTE = 1 << 20

/** Produces so many records of 1 KiB; returns the hash of the stored partition. */
async function fill(broker: ChildBroker, count: number): Promise<string> {
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  const random = seededRandom(7)
  for (let sent = 0; sent < count; sent += 256) {
    const records = Array.from({ length: 256 }, (_, i) => ({ key: `${sent + i}`, value: random.bytes(1000) }))
    expect(await peer.call(frames.produce('t', 0, records))).toEqual(frames.produced(0, 0, sent, 256))
  }
  const stored = await readLog(peer, 't', 0)
  expect(readStoredEntries(stored)).toHaveLength(count)
  peer.socket.destroy()
  return sha256(stored)
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

it('serves 49 consumers while one reads nothing; that one is dropped, and memory stays bounded', async () => {
  const broker = await ChildBroker.start({ stallTimeoutMs: 2000 })
  const hash = await fill(broker, 3072)
  const { peakRss: before } = await broker.ask('figures')

  const stalled = await broker.connect()
  stalled.socket.pause()
  stalled.send(Buffer.concat(Array.from({ length: 100 }, () => frames.fetch('t', 0, 0, MEBIBYTE))))
  const consumers = await Promise.all(Array.from({ length: 49 }, () => broker.connect()))
  const hashes = await Promise.all(consumers.map(async (peer: Peer) => sha256(await readLog(peer, 't', 0))))
  expect(new Set(hashes)).toEqual(new Set([hash]))

  await expect.poll(async () => (await broker.ask('figures')).connections, { timeout: 20_000 }).toBe(49)
  expect(await broker.ask('messages')).toContain('warn: dropped: the peer does not take its responses')
  expect((await consumers[0]?.call(frames.fetch('t', 0, 3072)))?.length).toBe(10)
  const { peakRss } = await broker.ask('figures')
  const growth = Math.round((peakRss - before) / MEBIBYTE)
  console.log(`150 MB to 49 consumers: RSS ${Math.round(before / MEBIBYTE)} MiB before, at most ${growth} MiB more`)
  expect(growth).toBeLessThan(160)
})

it('gives everything to a reader that is slow, but not stalled', async () => {
  const broker = await ChildBroker.start({ stallTimeoutMs: 2000 })
  const count = 6144
  const hash = await fill(broker, count)
  const asked = 1200 * count
  const received = createHash('sha256')
  let length = 0
  let expected = 0
  await new Promise<void>((resolve, reject) => {
    const buffer = Buffer.alloc(8192)
    const socket = connect({
      port: broker.port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (bytes) => {
          if (length === 0) expected = 4 + buffer.readInt32BE(0)
          received.update(buffer.subarray(length === 0 ? 10 : 0, bytes))
          length += bytes
          if (length === expected) resolve()
          // A few KB, then a pause.
          setTimeout(() => socket.resume(), 1)
          return false
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`the connection ended after ${length} bytes of ${expected}`)))
    socket.write(frames.fetch('t', 0, 0, asked))
  })
  expect(received.digest('hex')).toBe(hash)
  expect(await broker.ask('messages')).not.toContain('warn: dropped: the peer does not take its responses')
})
