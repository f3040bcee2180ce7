import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { Log } from '../../src/log/log.js'
import { startBroker, zeroCopy } from '../support/broker.js'
import { requireCurrentDist } from '../support/cli-process.js'
import * as frames from '../support/frames.js'
import { Peer } from '../support/peer.js'
import { testRandom } from '../support/random.js'
import { readLog } from '../support/read-log.js'
import { readStoredEntries } from '../support/stored-format.js'
import { temporaryDirectory } from '../support/temporary.js'

const PROGRAM = new URL('../support/worker-program.mjs', import.meta.url)
const MEBIBYTE = 1 << 20
const ROUNDS = process.env.MYKAFKA_TEST_FULL ? 60 : 4

/** Starts the engine in a worker; resolves when it is ready, with the broker's port. */
async function start(kind: 'broker' | 'log', directory: string): Promise<{ worker: Worker; port: number }> {
  requireCurrentDist()
  const worker = new Worker(PROGRAM, { workerData: { kind, directory, zeroCopy } })
  const [port] = (await once(worker, 'message')) as [number]
  return { worker, port }
}

/** What the engine has open in a directory. (Node itself may lose a FileHandle of a worker that is terminated.) */
function openFiles(directory: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(directory) && /\.log$|\.index$|lock$/.test(path) ? [path] : []
    } catch {
      return [] // the listing's own
    }
  })
}

describe('a worker that is terminated', () => {
  it('in the middle of appends and reads of a log leaves a log that opens again', async () => {
    const random = testRandom()
    const directory = await temporaryDirectory()
    let end = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { worker } = await start('log', directory)
      await delay(random.integer(0, 60))
      await worker.terminate()
      await expect.poll(() => openFiles(directory)).toEqual([])
      const log = await Log.open(directory, { segmentBytes: MEBIBYTE })
      expect(log.logEndOffset).toBeGreaterThanOrEqual(end)
      end = log.logEndOffset
      expect(await log.verify()).toEqual([])
      let count = 0
      for await (const record of log.iterate({ follow: false })) expect(record.offset).toBe(count++)
      expect(count).toBe(end)
      await log.close()
    }
    expect(end).toBeGreaterThan(0)
  })

  it('under a broker in mid-fetch and mid-produce loses nothing that was acknowledged', async () => {
    const random = testRandom()
    const directory = await temporaryDirectory()
    let acknowledged = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { worker, port } = await start('broker', directory)
      const [producer, reader, stalled] = [await Peer.connect(port), await Peer.connect(port), await Peer.connect(port)]
      await producer.call(frames.createTopic('t', 1))
      producer.send(...Array.from({ length: 200 }, () => frames.produce('t', 0, [{ value: 'x'.repeat(1000) }])))
      producer.send(...Array.from({ length: 20 }, () => frames.produce('t', 0, [{ value: Buffer.alloc(MEBIBYTE) }])))
      stalled.socket.pause()
      for (const peer of [reader, stalled]) peer.send(...Array(40).fill(frames.fetch('t', 0, 0, 4 * MEBIBYTE)))
      const stopAt = random.integer(1, 215)
      for (let answered = 0; answered < stopAt; answered++) {
        const { errorCode, baseOffset } = frames.readProduced(await producer.frame())
        expect(errorCode).toBe(0)
        acknowledged = baseOffset + 1
      }
      await worker.terminate()
      await Promise.all([producer.closed, reader.closed])
      await expect.poll(() => openFiles(directory)).toEqual([])
    }
    const broker = await startBroker({ dataDir: directory })
    const stored = readStoredEntries(await readLog(await broker.connect(), 't', 0))
    expect(stored.length).toBeGreaterThanOrEqual(acknowledged)
    expect(stored.every(({ offset }, i) => offset === BigInt(i))).toBe(true)
  })
})

it('brokers serve side by side in one process, and in a worker beside it', async () => {
  const brokers = await Promise.all([1, 2, 3].map(() => startBroker({ segmentBytes: MEBIBYTE })))
  const inWorker = await start('broker', await temporaryDirectory())
  const ports = [...brokers.map(({ port }) => port), inWorker.port]
  const stored = await Promise.all(
    ports.map(async (port, i) => {
      const peer = await Peer.connect(port)
      await peer.call(frames.createTopic('t', 1))
      const value = Buffer.alloc(300_000, i)
      peer.send(...Array(20).fill(frames.produce('t', 0, [{ value }, { value: 'small' }])))
      expect(await peer.frames(20)).toEqual(Array.from({ length: 20 }, (_, n) => frames.produced(0, 0, 2 * n, 2)))
      const entries = readStoredEntries(await readLog(peer, 't', 0))
      return entries.filter(({ value: of }, n) => n % 2 === 1 || of?.equals(value)).length
    }),
  )
  expect(stored).toEqual([40, 40, 40, 40])
  await inWorker.worker.terminate()
  await Promise.all(brokers.map((broker) => broker.stop()))
})
