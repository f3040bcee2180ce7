import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { topicTree } from '../../support/data-directory.js'
import { isLostConnection } from '../../support/ledger.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint, kill, restart } from './kill.js'

const CLIENTS = 3
const IN_FLIGHT = 4

interface Asked {
  readonly partitions: number
  answered: boolean
}

/** Clients create topics; the broker is killed at a random moment of each round. */
export async function killUnderCreations(random: Random, rounds: number): Promise<void> {
  const options = await busyBroker(await temporaryDirectory())
  const topics = new Map<string, Asked>()
  let broker = await BrokerProcess.start(options)
  for (let round = 0; round < rounds; round++) {
    const point = new KillPoint(random, 12)
    const work = Array.from({ length: CLIENTS }, () => create(broker, topics, point, random))
    await point.reached
    await kill(broker, random)
    await Promise.all(work)
    expectWholeOrAbsent(await topicTree(options.dataDir), topics)
    broker = await restart(options, random)
    expect(await readdir(join(options.dataDir, '@broker', 'creating'))).toEqual([])
    const tree = await topicTree(options.dataDir)
    expectWholeOrAbsent(tree, topics)
    await expectUsable(broker, tree, topics)
  }
  await broker.stop()
}

async function create(
  broker: BrokerProcess,
  topics: Map<string, Asked>,
  point: KillPoint,
  random: Random,
): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  const underWay: Promise<void>[] = []
  while (!client.closed) {
    const asked = { partitions: random.integer(1, 12), answered: false }
    const name = `topic-${topics.size}`
    topics.set(name, asked)
    underWay.push(
      client.createTopic(name, asked.partitions).then(
        () => {
          asked.answered = true
          point.answered()
        },
        (error: unknown) => expect(isLostConnection(error), String(error)).toBe(true),
      ),
    )
    if (underWay.length >= IN_FLIGHT) await underWay.shift()
  }
  await Promise.all(underWay)
}

function expectWholeOrAbsent(tree: Map<string, number[]>, topics: Map<string, Asked>): void {
  for (const [name, { partitions, answered }] of topics) {
    const found = tree.get(name)
    if (answered) expect(found, name).toBeDefined()
    if (found) expect(found, name).toEqual(Array.from({ length: partitions }, (_, partition) => partition))
  }
  const unknown = [...tree.keys()].filter((name) => !topics.has(name) && !name.startsWith('__'))
  expect(unknown).toEqual([])
}

/** What is there takes records in each partition; what is not can be made. */
async function expectUsable(
  broker: BrokerProcess,
  tree: Map<string, number[]>,
  topics: Map<string, Asked>,
): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  const served = (await client.metadata()).map(({ topic, partitions }) => [topic, partitions.length] as const)
  expect(new Map(served)).toEqual(
    new Map([...tree].filter(([name]) => topics.has(name)).map(([name, partitions]) => [name, partitions.length])),
  )
  for (const [name, asked] of topics) {
    const there = tree.has(name)
    expect(await client.createTopic(name, asked.partitions), name).toBe(there ? 'exists' : 'created')
    asked.answered = true
    for (let partition = 0; partition < asked.partitions; partition++) {
      const { baseOffset } = await client.produce(name, [{ value: name }], { partition })
      const [record] = await client.fetch(name, partition, baseOffset)
      expect(record?.value?.toString()).toBe(name)
    }
  }
  await client.close()
}
