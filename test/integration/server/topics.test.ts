import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { topicTree } from '../../support/data-directory.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'

const [OK, EXISTS, INVALID] = [0, 1, 2].map((status) => frames.created(status)) as [Buffer, Buffer, Buffer]

let broker: TestBroker
let peer: Peer

beforeEach(async () => {
  broker = await startBroker()
  peer = await broker.connect()
})

it('takes the names that Kafka takes', async () => {
  const names = ['a', 'Z', '9', '_', '-', '...', '.a', 'a.b_c-D9', 'x'.repeat(249)]
  for (const name of names) expect(await peer.call(frames.createTopic(name, 1)), name).toEqual(OK)
  const wrong = [
    ...['', '.', '..', 'a b', 'a/b', '../a', '/a', 'a\0', 'é', '좌석', '@broker', 'a:b', 'a\n', '*'],
    'x'.repeat(250),
    'x'.repeat(30_000),
  ]
  for (const name of wrong) expect(await peer.call(frames.createTopic(name, 1)), name).toEqual(INVALID)
  const tree = await topicTree(broker.dataDir)
  expect([...tree.keys()].sort()).toEqual([...names, '__cluster_metadata', '__consumer_offsets'].sort())
})

it('takes 1 to 10000 partitions', async () => {
  for (const count of [0, -1, 10_001, 2 ** 31 - 1, -(2 ** 31)]) {
    expect(await peer.call(frames.createTopic('t', count)), `${count}`).toEqual(INVALID)
  }
  expect(await peer.call(frames.createTopic('t', 100))).toEqual(OK)
  expect(await peer.call(frames.metadata('t'))).toEqual(frames.described(0, { t: Array(100).fill([0, 0]) }))
  expect((await topicTree(broker.dataDir)).get('t')).toEqual(Array.from({ length: 100 }, (_, i) => i))
})

it('leaves a topic that exists as it is, however many partitions are asked for', async () => {
  await peer.call(frames.createTopic('t', 2))
  await peer.call(frames.produce('t', 1, [{ value: 'x' }]))
  for (const count of [1, 2, 3]) expect(await peer.call(frames.createTopic('t', count))).toEqual(EXISTS)
  // The name is looked at behind the count.
  expect(await peer.call(frames.createTopic('t', 0))).toEqual(INVALID)
  expect(await peer.call(frames.metadata('t'))).toEqual(
    frames.described(0, {
      t: [
        [0, 0],
        [0, 1],
      ],
    }),
  )
})

it('is made once where twenty clients ask for it at the same time', async () => {
  const peers = await Promise.all(Array.from({ length: 20 }, () => broker.connect()))
  for (const name of ['a', 'b', 'c']) {
    const answers = await Promise.all(peers.map((each, i) => each.call(frames.createTopic(name, 1 + i))))
    const made = answers.filter((answer) => answer.equals(OK))
    expect(made).toHaveLength(1)
    expect(answers.filter((answer) => answer.equals(EXISTS))).toHaveLength(19)
    const partitions = 1 + answers.indexOf(made[0] as Buffer)
    expect(await peer.call(frames.metadata(name))).toEqual(
      frames.described(0, { [name]: Array(partitions).fill([0, 0]) }),
    )
    const answer = frames.readProduced(await peer.call(frames.produce(name, partitions - 1, [{ value: 'x' }])))
    expect(answer).toMatchObject({ errorCode: 0, baseOffset: 0 })
  }
})

it('gives every topic an id of its own, the same in each of its partitions', async () => {
  await peer.call(frames.createTopic('a', 3))
  await peer.call(frames.createTopic('b', 2))
  const idsOf = async (topic: string): Promise<(string | undefined)[]> => {
    const partitions = await readdir(join(broker.dataDir, topic))
    const texts = await Promise.all(
      partitions.map((partition) => readFile(join(broker.dataDir, topic, partition, 'partition.metadata'), 'utf8')),
    )
    return texts.map(
      (text) =>
        /^version: 0\ntopic_id: ([A-Za-z0-9_-]{22})\npartition.count: \d+\nrecord.format: mykafka\n$/.exec(text)?.[1],
    )
  }
  const [ofA, ofB] = [await idsOf('a'), await idsOf('b')]
  expect(new Set(ofA).size).toBe(1)
  expect(new Set(ofB).size).toBe(1)
  expect(ofA[0]).toBeDefined()
  expect(ofA[0]).not.toBe(ofB[0])
})

it('answers INVALID where the disk has something else of that name', async () => {
  const { mkdir, writeFile } = await import('node:fs/promises')
  await mkdir(join(broker.dataDir, 'taken'))
  await writeFile(join(broker.dataDir, 'taken', 'mine'), 'precious')
  await writeFile(join(broker.dataDir, 'file'), 'precious')
  for (const name of ['taken', 'file']) {
    expect(await peer.call(frames.createTopic(name, 2))).toEqual(INVALID)
    expect(await peer.call(frames.metadata(name))).toEqual(frames.described(3, {}))
  }
  expect(await readFile(join(broker.dataDir, 'taken', 'mine'), 'utf8')).toBe('precious')
  expect(await readFile(join(broker.dataDir, 'file'), 'utf8')).toBe('precious')
  expect(await readdir(join(broker.dataDir, '@broker', 'creating'))).toEqual([])
  // The second failure of a kind within ten seconds is counted, not said again.
  expect(broker.logger.messages('error')).toEqual(['a request failed'])
})
