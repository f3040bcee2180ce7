import { access } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import { partitionRecords } from '../../support/data-directory.js'
import * as frames from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

const MEBIBYTE = 1 << 20

it('answers what it writes, and writes nothing that it does not answer', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await startBroker({ dataDir, segmentBytes: MEBIBYTE })
  const peers = await Promise.all(Array.from({ length: 10 }, () => broker.connect()))
  await peers[0]?.call(frames.createTopic('t', 2))
  const acknowledged: string[] = []
  const producers = peers.map(async (peer, producer) => {
    let sent = 0
    const pump = setInterval(() => {
      for (let i = 0; i < 20; i++, sent++) {
        const value = `${producer}.${sent}`.padEnd(sent % 50 === 0 ? 300_000 : 20)
        peer.send(frames.produce('t', producer % 2, [{ key: `${producer}.${sent}`, value }]))
      }
    }, 1)
    peer.socket.on('end', () => clearInterval(pump))
    for (let answered = 0; ; answered++) {
      const answer = await peer.frame().catch(() => null)
      if (answer === null) return
      const { errorCode, partition, baseOffset } = frames.readProduced(answer)
      expect(errorCode).toBe(0)
      acknowledged.push(`${partition}/${baseOffset} ${producer}.${answered}`)
    }
  })
  while (acknowledged.length < 500) await delay(1)
  await broker.stop()
  await Promise.all(producers)
  await expect.poll(() => peers.every(({ socket }) => socket.closed)).toBe(true)
  expect(peers.flatMap(({ errors }) => errors)).toEqual([])

  const written: string[] = []
  for (const partition of [0, 1]) {
    for (const { offset, key } of await partitionRecords(dataDir, 't', partition)) {
      written.push(`${partition}/${offset} ${key}`)
    }
  }
  expect(written.sort()).toEqual(acknowledged.sort())

  const again = await startBroker({ dataDir })
  expect(again.logger.messages('warn')).toEqual([])
})

it('finishes an answer that is on its way', async () => {
  const broker = await startBroker()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  const value = Buffer.alloc(24 * MEBIBYTE, 'x')
  await peer.call(frames.produce('t', 0, [{ value }]))
  peer.send(frames.fetch('t', 0, 0, 1))
  await new Promise((resolve) => peer.socket.once('data', resolve))
  peer.socket.pause()
  const stopped = broker.stop()
  await delay(100)
  peer.socket.resume()
  expect(frames.readFetched(await peer.frame()).records.length).toBe(28 + value.length)
  await peer.closed
  await stopped
})

it('makes the topics that were asked for', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await startBroker({ dataDir })
  const peer = await broker.connect()
  peer.send(frames.createTopic('t', 300))
  await delay(5)
  await broker.stop()
  const answer = await peer.frame().catch(() => null)
  const again = await startBroker({ dataDir })
  const described = await (await again.connect()).call(frames.metadata('t'))
  // Either the request was taken, and all of it happened, or it was not.
  if (answer === null) expect(described).toEqual(frames.described(frames.ERROR.unknownTopicOrPartition, {}))
  else {
    expect(answer).toEqual(frames.created(0))
    expect(described).toEqual(frames.described(0, { t: Array(300).fill([0, 0]) }))
  }
  expect(again.logger.messages('warn')).toEqual([])
})

it('ends idle connections, takes no more, and marks the stop as clean', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await startBroker({ dataDir })
  const peers = await Promise.all([1, 2, 3].map(() => broker.connect()))
  await peers[0]?.call(frames.metadata(''))
  const stopped = broker.stop()
  expect(broker.broker.stop()).toBe(stopped)
  const late = connect(broker.port, '127.0.0.1')
  const refusal = await new Promise<NodeJS.ErrnoException>((resolve) => late.once('error', resolve))
  expect(refusal.code).toBe('ECONNREFUSED')
  await Promise.all(peers.map((peer) => peer.closed))
  await stopped
  await access(join(dataDir, '@broker', 'clean-shutdown'))
})

it('does not wait for peers that take nothing, nor for those that do not close, beyond the deadline', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await startBroker({ dataDir, shutdownTimeoutMs: 200 })
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  await peer.call(frames.produce('t', 0, [{ value: Buffer.alloc(24 * MEBIBYTE) }]))
  peer.socket.pause()
  peer.send(frames.fetch('t', 0, 0, 1), frames.fetch('t', 0, 0, 1))
  const open = connect({ port: broker.port, host: '127.0.0.1', allowHalfOpen: true })
  open.on('error', () => {})
  open.resume()
  await delay(50)
  await broker.stop()
  open.destroy()
  expect(broker.logger.messages('info')).toContain('dropping connections that do not end')
  await access(join(dataDir, '@broker', 'clean-shutdown'))
  const again = await startBroker({ dataDir })
  expect(again.logger.messages('warn')).toEqual([])
})
