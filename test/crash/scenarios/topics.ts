import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import type { BrokerProcess } from '../../support/broker-process.js'
import { topicTree } from '../../support/data-directory.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { requestUntilLost } from './until-lost.js'

const CLIENTS = 3
const IN_FLIGHT = 4
const MOST_ANSWERS = 12

interface Asked {
  readonly partitions: number
  answered: boolean
}

/** Clients create topics; the broker is killed at a random moment of each round. */
export async function killUnderCreations(random: Random, rounds: number): Promise<void> {
  const options = await busyBroker(await temporaryDirectory())
  const topics = new Map<string, Asked>()
  await killInRounds(options, random, rounds, {
    work: (broker) => {
      const point = new KillPoint(random, MOST_ANSWERS)
      return { point, work: Array.from({ length: CLIENTS }, () => create(broker, topics, point, random)) }
    },
    killed: async () => expectWholeOrAbsent(await topicTree(options.dataDir), topics),
    compare: async (broker) => {
      expect(await readdir(join(options.dataDir, '@broker', 'creating'))).toEqual([])
      const tree = await topicTree(options.dataDir)
      expectWholeOrAbsent(tree, topics)
      await expectUsable(broker, tree, topics)
    },
  })
}

async function create(
  broker: BrokerProcess,
  topics: Map<string, Asked>,
  point: KillPoint,
  random: Random,
): Promise<void> {
  const connect = () => Client.connect({ port: broker.port })
  await requestUntilLost(IN_FLIGHT, connect, async (client) => {
    const asked = { partitions: random.integer(1, 12), answered: false }
    const name = `topic-${topics.size}`
    topics.set(name, asked)
    await client.createTopic(name, asked.partitions)
    asked.answered = true
    void point.answered()
  })
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
