import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readLog } from '../../support/read-log.js'
import { readStoredEntries } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

let dataDir: string
let broker: TestBroker
let peer: Peer

const values = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ key: `k${from + i}`, value: `v${from + i}` }))

async function start(): Promise<void> {
  broker = await startBroker({ dataDir, segmentBytes: 4096 })
  peer = await broker.connect()
}

beforeEach(async () => {
  dataDir = await temporaryDirectory()
  await start()
  await peer.call(frames.createTopic('t', 3))
  for (let at = 0; at < 300; at += 10) await peer.call(frames.produce('t', 0, values(at, at + 10)))
  await peer.call(frames.produce('t', 2, values(0, 5)))
})

const wholeLog = (partition: number): Promise<Buffer> => readLog(peer, 't', partition)
const idOf = async (partition: number): Promise<string> =>
  await readFile(join(dataDir, 't', String(partition), 'partition.metadata'), 'utf8')

it('has everything again, byte for byte, and goes on where it was', async () => {
  const before = [await wholeLog(0), await wholeLog(1), await wholeLog(2)]
  const [id, meta] = [await idOf(0), await readFile(join(dataDir, '@broker', 'meta.properties'), 'utf8')]
  for (let round = 0; round < 3; round++) {
    await broker.stop()
    await start()
    expect(await peer.call(frames.metadata('t'))).toEqual(
      frames.described(0, {
        t: [
          [0, 300],
          [0, round],
          [0, 5],
        ],
      }),
    )
    expect(await wholeLog(0)).toEqual(before[0])
    expect(await wholeLog(2)).toEqual(before[2])
    expect(await peer.call(frames.produce('t', 1, [{ value: `${round}` }]))).toEqual(frames.produced(0, 1, round, 1))
    expect(await idOf(0)).toBe(id)
    expect(await readFile(join(dataDir, '@broker', 'meta.properties'), 'utf8')).toBe(meta)
    expect(broker.logger.messages('warn')).toEqual([])
  }
})

it('has everything again without the mark of a clean stop, too', async () => {
  const before = [await wholeLog(0), await wholeLog(1), await wholeLog(2)]
  await broker.stop()
  await rm(join(dataDir, '@broker', 'clean-shutdown'))
  await start()
  expect([await wholeLog(0), await wholeLog(1), await wholeLog(2)]).toEqual(before)
  expect(broker.logger.messages('warn')).toEqual([])
})

it.each([0, 2])('without the directory of partition %i has that partition offline, and no other', async (missing) => {
  const before = [await wholeLog(0), await wholeLog(1), await wholeLog(2)]
  await broker.stop()
  await rm(join(dataDir, 't', String(missing)), { recursive: true })
  const ends: [number, number][] = [
    [0, 300],
    [0, 0],
    [0, 5],
  ]
  ends[missing] = [-1, -1]
  // It stays so: what is known of it is kept.
  for (let round = 0; round < 2; round++) {
    await start()
    expect(broker.logger.messages('error')).toEqual(['a partition is offline: its directory is missing'])
    expect(await peer.call(frames.metadata('t'))).toEqual(frames.described(0, { t: ends }))
    const code = frames.ERROR.storage
    expect(await peer.call(frames.fetch('t', missing, 0))).toEqual(frames.fetched(code, 0))
    expect(await peer.call(frames.produce('t', missing, values(0, 1)))).toEqual(frames.produced(code, missing, -1, 0))
    // A group keeps its place in it: a commit that waited for it would hold up those of the others.
    expect(await peer.call(frames.commitOffset('g', 't', missing, round))).toEqual(frames.committed(0))
    expect(await peer.call(frames.fetchOffset('g', 't', missing))).toEqual(frames.offsetFetched(0, round))
    for (const other of [0, 1, 2].filter((partition) => partition !== missing)) {
      expect(await wholeLog(other)).toEqual(before[other])
    }
    expect(await peer.call(frames.createTopic('t', 3))).toEqual(frames.created(1))
    await broker.stop()
  }
})

it('leaves what it does not understand alone, and reports it', async () => {
  const before = await wholeLog(0)
  await broker.stop()
  const precious = ['lost+found', 'not a topic', 't/x', 't/00', 't/0/notes', 'empty-topic', '@other']
  for (const path of precious) await mkdir(join(dataDir, path), { recursive: true })
  await mkdir(join(dataDir, 'foreign', '0'), { recursive: true })
  await writeFile(join(dataDir, 'foreign', '0', 'partition.metadata'), 'version: 7\n')
  await writeFile(join(dataDir, 'readme.txt'), 'mine')
  // Directories with a partition's number: one without a word of which topic it is, and one of another topic.
  await mkdir(join(dataDir, 't', '3'))
  await mkdir(join(dataDir, 't', '5'))
  await writeFile(
    join(dataDir, 't', '5', 'partition.metadata'),
    'version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA\npartition.count: 6\nrecord.format: mykafka\n',
  )
  await writeFile(join(dataDir, 't', '0', 'backup.log'), 'mine')
  await start()
  const reported = broker.logger.lines
    .filter(({ level }) => level === 'warn')
    .map(({ message, fields: { directory, names = '' } }) =>
      `${message}: ${directory} ${names}`.replaceAll(dataDir, ''),
    )
  expect(reported.sort()).toEqual(
    [
      ...['lost+found', 'not a topic', 'empty-topic', '@other', 'foreign', 'readme.txt'].map(
        (name) => `left alone: not a topic: /${name} `,
      ),
      ...['x', '00', '3', '5'].map((name) => `left alone: not a partition: /t/${name} `),
      'left alone: not part of a log: /t/0 backup.log,notes',
    ].sort(),
  )
  expect(await wholeLog(0)).toEqual(before)
  for (const path of precious) await mkdir(join(dataDir, path, 'still-there'))
  expect(await readFile(join(dataDir, 'readme.txt'), 'utf8')).toBe('mine')
  expect(await readFile(join(dataDir, 't', '0', 'backup.log'), 'utf8')).toBe('mine')
  expect(await peer.call(frames.metadata(''))).toEqual(await peer.call(frames.metadata('t')))
})

it('removes topics that were half made or half deleted', async () => {
  await broker.stop()
  for (const path of ['creating/x/0', 'deleted/y/0']) await mkdir(join(dataDir, '@broker', path), { recursive: true })
  await start()
  await expect(readFile(join(dataDir, '@broker', 'creating', 'x', '0'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(readFile(join(dataDir, '@broker', 'deleted', 'y', '0'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('refuses a directory that another broker holds, and leaves that one alone', async () => {
  await expect(startBroker({ dataDir })).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED' })
  expect(await peer.call(frames.produce('t', 1, values(0, 1)))).toEqual(frames.produced(0, 1, 0, 1))
  await broker.stop()
  await start()
  expect(broker.logger.messages('warn')).toEqual([])
})

it('refuses a format version that it does not know, and changes nothing', async () => {
  await broker.stop()
  const meta = join(dataDir, '@broker', 'meta.properties')
  const text = await readFile(meta, 'utf8')
  await writeFile(meta, text.replace('version=1', 'version=2'))
  await expect(startBroker({ dataDir })).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT_VERSION',
    message: expect.stringContaining('format version 2; this version of mykafka knows 1'),
  })
  await writeFile(meta, text)
  await start()
  expect(broker.logger.messages('warn')).toEqual([])
  expect(readStoredEntries(await wholeLog(0))).toHaveLength(300)
})
