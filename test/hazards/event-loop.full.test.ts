/** How long the broker's event loop is held up by what takes long. Printed, not judged: machines differ. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ChildBroker } from '../support/child-broker.js'
import * as frames from '../support/frames.js'
import { seededRandom } from '../support/random.js'

import { temporaryDirectory } from '../support/temporary.js'

const MEBIBYTE = 1 << 20
const SIZE = 64

async function report(broker: ChildBroker, what: string): Promise<void> {
  const { p50, p99, max } = await broker.ask('eventLoopDelay')
  console.log(`${what}: event loop delay p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (the timer's own is about 1)`)
}

/** Puts the log's pages out of memory. */
function makeCold(dataDir: string): void {
  const directory = join(dataDir, 't', '0')
  for (const name of readdirSync(directory).filter((each) => each.endsWith('.log'))) {
    execFileSync('dd', [`if=${join(directory, name)}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
  }
}

it('goes on under large writes, syncs, cold reads, verification and recovery', async () => {
  const dataDir = await temporaryDirectory()
  const random = seededRandom(1)
  const options = { dataDir, segmentBytes: 16 * MEBIBYTE, fsync: 'acks' as const, flushIntervalMs: 200 }
  let broker = await ChildBroker.start(options)
  let peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  await report(broker, 'start')

  const records = Array.from({ length: 1024 }, () => ({ value: random.bytes(1000) }))
  const request = frames.produce('t', 0, records)
  for (let i = 0; i < SIZE; i++) peer.send(request)
  expect(await peer.frames(SIZE)).toEqual(Array.from({ length: SIZE }, (_, i) => frames.produced(0, 0, i * 1024, 1024)))
  await report(broker, `${SIZE} MiB of PRODUCEs, synced beside`)
  await broker.ask('stop')

  await rm(join(dataDir, '@broker', 'clean-shutdown'))
  await rm(join(dataDir, '@broker', 'recovery-point-offset-checkpoint'))
  broker = await ChildBroker.start(options)
  peer = await broker.connect()
  await report(broker, `recovery of ${SIZE} MiB`)
  await broker.ask('stop')

  makeCold(dataDir)
  broker = await ChildBroker.start(options)
  await broker.ask('eventLoopDelay')
  const peers = await Promise.all(Array.from({ length: 8 }, () => broker.connect()))
  const counts = await Promise.all(
    peers.map(async (each) => {
      let offset = 0
      for (let count = -1; count !== 0; offset += count) {
        const response = frames.readFetched(await each.call(frames.fetch('t', 0, offset, 4 * MEBIBYTE)))
        count = response.count
      }
      return offset
    }),
  )
  expect(counts).toEqual(Array(8).fill(SIZE * 1024))
  await report(broker, `${SIZE} MiB read by 8 peers, cold and not verified`)
})
