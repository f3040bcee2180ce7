import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { temporaryDirectory } from '../../support/temporary.js'

const { ERROR } = frames
let dataDir: string
let broker: TestBroker
let peer: Peer

async function restart({ clean = true } = {}): Promise<void> {
  await broker.stop()
  // As after a crash: the marker is the last thing that a stop writes.
  if (!clean) await rm(join(dataDir, '@broker', 'clean-shutdown'))
  broker = await startBroker({ dataDir })
  peer = await broker.connect()
}

beforeEach(async () => {
  dataDir = await temporaryDirectory()
  broker = await startBroker({ dataDir })
  peer = await broker.connect()
  await peer.call(frames.createTopic('t', 2))
  await peer.call(frames.produce('t', 0, Array(10).fill({ value: 'x' })))
})

const commit = async (group: string, partition: number, offset: number | bigint): Promise<Buffer> =>
  await peer.call(frames.commitOffset(group, 't', partition, offset))
const committed = async (group: string, partition: number): Promise<Buffer> =>
  await peer.call(frames.fetchOffset(group, 't', partition))

it('come back behind a restart, the latest of each key, and the log says how many there were', async () => {
  for (const [partition, offset] of [
    [0, 1],
    [1, 0],
    [0, 2],
    [0, 3],
    [1, 5],
  ] as const) {
    expect(await commit('g', partition, offset)).toEqual(frames.committed(0))
  }
  await restart()
  expect(broker.logger.messages('info')).toContain('loaded 5 commits (2 unique keys)')
  expect(await committed('g', 0)).toEqual(frames.offsetFetched(0, 3))
  expect(await committed('g', 1)).toEqual(frames.offsetFetched(0, 5))
  // One more, and once more: what was loaded is not written again.
  await commit('g', 0, 4)
  await restart()
  expect(broker.logger.messages('info')).toContain('loaded 6 commits (2 unique keys)')
  expect(await committed('g', 0)).toEqual(frames.offsetFetched(0, 4))
})

it('are of a group, a topic and a partition', async () => {
  await peer.call(frames.createTopic('u', 1))
  await commit('g', 0, 1)
  await commit('g', 1, 2)
  await commit('h', 0, 3)
  await peer.call(frames.commitOffset('g', 'u', 0, 4))
  const all = async (): Promise<Buffer[]> => [
    await committed('g', 0),
    await committed('g', 1),
    await committed('h', 0),
    await peer.call(frames.fetchOffset('g', 'u', 0)),
    await committed('h', 1),
    await committed('nobody', 0),
  ]
  const expected = [1, 2, 3, 4, -1, -1].map((offset) => frames.offsetFetched(0, offset))
  expect(await all()).toEqual(expected)
  await restart()
  expect(await all()).toEqual(expected)
})

it('may go back, and may be any that a log can have', async () => {
  for (const offset of [5, 0, Number.MAX_SAFE_INTEGER, 3]) {
    expect(await commit('g', 0, offset)).toEqual(frames.committed(0))
    expect(await committed('g', 0)).toEqual(frames.offsetFetched(0, offset))
  }
  for (const offset of [-1, -2]) expect(await commit('g', 0, offset)).toEqual(frames.committed(ERROR.offsetOutOfRange))
  for (const offset of [2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n]) {
    expect(await commit('g', 0, offset)).toEqual(frames.committed(ERROR.invalidRequest))
  }
  expect(await committed('g', 0)).toEqual(frames.offsetFetched(0, 3))
})

it('take group names of any text, up to the length that the wire can say', async () => {
  const groups = ['g', ' ', '좌석 😀', 'a/../b', '\0', 'x'.repeat(32_767)]
  for (const [i, group] of groups.entries()) expect(await commit(group, 0, i)).toEqual(frames.committed(0))
  await restart()
  for (const [i, group] of groups.entries()) expect(await committed(group, 0)).toEqual(frames.offsetFetched(0, i))
  expect(await commit('', 0, 1)).toEqual(frames.committed(ERROR.invalidGroupId))
  expect(await committed('', 0)).toEqual(frames.offsetFetched(0, -1))
})

it('above the end of a log behind an unclean stop are set to it, and reported', async () => {
  await commit('ahead', 0, 12)
  await commit('ahead', 1, 1)
  await commit('right', 0, 10)
  await commit('behind', 0, 9)
  await restart({ clean: false })
  expect(await committed('ahead', 0)).toEqual(frames.offsetFetched(0, 10))
  expect(await committed('ahead', 1)).toEqual(frames.offsetFetched(0, 0))
  expect(await committed('right', 0)).toEqual(frames.offsetFetched(0, 10))
  expect(await committed('behind', 0)).toEqual(frames.offsetFetched(0, 9))
  const reports = broker.logger.lines.filter(({ message }) => message.startsWith('a commit was above the end'))
  expect(reports.map(({ fields }) => fields)).toEqual([
    { group: 'ahead', topic: 't', partition: 0, committed: 12, logEndOffset: 10 },
    { group: 'ahead', topic: 't', partition: 1, committed: 1, logEndOffset: 0 },
  ])
  // It is written: the next start does not report it again.
  await restart({ clean: false })
  expect(await committed('ahead', 0)).toEqual(frames.offsetFetched(0, 10))
  expect(broker.logger.messages('warn')).toEqual([])
})

it('above the end of a log behind a clean stop stay', async () => {
  await commit('ahead', 0, 12)
  await restart()
  expect(await committed('ahead', 0)).toEqual(frames.offsetFetched(0, 12))
  expect(broker.logger.messages('warn')).toEqual([])
})

it('of a topic that went with its directory do not pass to one that is made anew under the name', async () => {
  await commit('g', 0, 5)
  await broker.stop()
  await rm(join(dataDir, 't'), { recursive: true })
  broker = await startBroker({ dataDir })
  peer = await broker.connect()
  await peer.call(frames.createTopic('t', 2))
  expect(await committed('g', 0)).toEqual(frames.offsetFetched(0, -1))
  await restart()
  expect(await committed('g', 0)).toEqual(frames.offsetFetched(0, -1))
})
