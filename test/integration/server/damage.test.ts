import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { flipBits } from '../../support/damage.js'
import { partitionFiles, partitionRecords } from '../../support/data-directory.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readLog } from '../../support/read-log.js'
import { readStoredEntries } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const COUNT = 60
let dataDir: string
let broker: TestBroker
let peer: Peer

async function start(): Promise<void> {
  broker = await startBroker({ dataDir, segmentBytes: 2000, indexIntervalBytes: 100 })
  peer = await broker.connect()
}

beforeEach(async () => {
  dataDir = await temporaryDirectory()
  await start()
  await peer.call(frames.createTopic('t', 2))
  for (let i = 0; i < COUNT; i++) {
    for (const partition of [0, 1]) {
      await peer.call(frames.produce('t', partition, [{ key: `${i}`, value: 'v'.repeat(100) }]))
    }
  }
})

/** Flips a bit of the value of a record. */
async function damage(offset: number): Promise<string> {
  const files = await partitionFiles(dataDir, 't', 0, '.log')
  const base = (path: string): number => Number(path.slice(-24, -4))
  const path = files.findLast((file) => base(file) <= offset) as string
  const entry = (await partitionRecords(dataDir, 't', 0)).find((each) => each.offset === offset)
  await flipBits(path, (entry?.position ?? 0) + 40, 4)
  return path
}

it('a file that was cut under a running broker is reported, once, and never served beyond', async () => {
  const [path] = await partitionFiles(dataDir, 't', 0, '.log')
  await truncate(path as string, 200)
  for (let i = 0; i < 2; i++) {
    const answer = frames.readFetched(await peer.call(frames.fetch('t', 0, 5, 1 << 20)))
    expect(answer).toMatchObject({ errorCode: frames.ERROR.corruptMessage, count: 0 })
  }
  expect(broker.logger.messages('error')).toEqual([
    'corruption: bytes of a segment that were right are not any more; what is damaged is not served',
  ])
})

describe('a flipped bit in what was on the disk', () => {
  it('is reported and never served; the records around it are', async () => {
    await broker.stop()
    const path = await damage(20)
    const bytes = await readFile(path)
    await start()

    const offsets: number[] = []
    const damaged: number[] = []
    for (let offset = 0; offset < COUNT; ) {
      const answer = frames.readFetched(await peer.call(frames.fetch('t', 0, offset, 1 << 20)))
      if (answer.errorCode === frames.ERROR.corruptMessage) {
        expect(answer).toMatchObject({ count: 0, records: Buffer.alloc(0) })
        damaged.push(offset++)
        continue
      }
      expect(answer.errorCode).toBe(0)
      for (const entry of readStoredEntries(answer.records)) {
        expect(entry.key?.toString()).toBe(`${entry.offset}`)
        offsets.push(Number(entry.offset))
        offset++
      }
    }
    expect(damaged).toEqual([20])
    expect(offsets).toEqual(Array.from({ length: COUNT }, (_, i) => i).filter((i) => i !== 20))
    const reports = broker.logger.lines.filter(({ message }) => message.startsWith('corruption'))
    expect(reports.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ file: path, firstOffset: 20, nextOffset: 21 }),
    ])
    expect(await readFile(path)).toEqual(bytes)

    // The other partition, and new records, are not concerned.
    expect(readStoredEntries(await readLog(peer, 't', 1))).toHaveLength(COUNT)
    expect(await peer.call(frames.produce('t', 0, [{ value: 'x' }]))).toEqual(frames.produced(0, 0, COUNT, 1))
  })

  it('is passed over by a restart, clean or not, below the recovery point', async () => {
    await broker.stop()
    await damage(20)
    for (const clean of [true, false]) {
      if (!clean) await rm(`${dataDir}/@broker/clean-shutdown`)
      await start()
      expect(await peer.call(frames.metadata('t'))).toEqual(
        frames.described(0, {
          t: [
            [0, COUNT],
            [0, COUNT],
          ],
        }),
      )
      expect(await peer.call(frames.fetch('t', 0, 20))).toEqual(frames.fetched(frames.ERROR.corruptMessage, 0))
      expect(frames.readFetched(await peer.call(frames.fetch('t', 0, 21))).count).toBeGreaterThan(0)
      await broker.stop()
    }
  })
})

it.each([
  ['zeroed', (bytes: Buffer) => bytes.fill(0)],
  ['cut in the middle of an entry', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3)],
  ['empty', () => Buffer.alloc(0)],
  ['garbage', (bytes: Buffer) => Buffer.from(bytes.map((_, i) => (i * 97 + 13) % 256))],
  ['those of other segments', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
  ['gone', null],
])('indexes that are %s change no answer', async (_, change) => {
  const before = await readLog(peer, 't', 0)
  await broker.stop()
  for (const path of await partitionFiles(dataDir, 't', 0, '.index')) {
    if (change === null) await rm(path)
    else await writeFile(path, change(await readFile(path)))
  }
  await start()
  for (let offset = COUNT - 1; offset >= 0; offset -= 7) {
    const [entry] = readStoredEntries(frames.readFetched(await peer.call(frames.fetch('t', 0, offset))).records)
    expect(entry?.key?.toString()).toBe(`${offset}`)
  }
  expect(await readLog(peer, 't', 0)).toEqual(before)
  expect(await peer.call(frames.produce('t', 0, [{ value: 'x' }]))).toEqual(frames.produced(0, 0, COUNT, 1))
})
