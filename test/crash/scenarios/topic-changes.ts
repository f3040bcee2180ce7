import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { alterConfigsApi } from '../../../src/wire/kafka/generated/alter-configs.js'
import { createPartitionsApi } from '../../../src/wire/kafka/generated/create-partitions.js'
import { deleteRecordsApi } from '../../../src/wire/kafka/generated/delete-records.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { describeConfigsApi } from '../../../src/wire/kafka/generated/describe-configs.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { configsOf, makeTopic, TOPIC } from '../../support/admin-requests.js'
import { topicTree } from '../../support/data-directory.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { expectLost } from './until-lost.js'

const TOPICS = ['a', 'b', 'c']
const MOST_PARTITIONS = 6
const RECORDS = 5
const MOST_CHANGES = 60

/** A topic as it is; null: it is not there. Its records are in partition 0, and bear the number of its creation. */
type State = null | {
  readonly creation: number
  readonly partitions: number
  readonly retention: string
  readonly records: number
  readonly start: number
}

/** What is known of one topic: as it was acknowledged, and as what was sent behind that would leave it. */
export class ChangedTopic {
  readonly name: string
  possible: [State] | [State, State] = [null]
  #creations = 0

  constructor(name: string) {
    this.name = name
  }

  /** Makes one change that is acknowledged, or throws where the broker is gone. */
  async change(peer: KafkaPeer, client: Client, random: Random): Promise<void> {
    const [before] = this.possible
    const after = this.#next(before, random)
    this.possible = [before, after]
    await this.#ask(before, after, peer, client)
    this.possible = [after]
  }

  #next(state: State, random: Random): State {
    if (state === null) {
      const partitions = random.integer(1, 3)
      return { creation: ++this.#creations, partitions, retention: '1', records: 0, start: 0 }
    }
    const kind = random.next()
    if (kind < 0.2) return null
    if (kind < 0.4) return { ...state, partitions: Math.min(MOST_PARTITIONS, state.partitions + random.integer(1, 3)) }
    if (kind < 0.6) return { ...state, retention: String(random.integer(2, 1000)) }
    if (kind < 0.8) return { ...state, records: state.records + RECORDS }
    return { ...state, start: random.integer(state.start, state.records) }
  }

  async #ask(before: State, after: State, peer: KafkaPeer, client: Client): Promise<void> {
    const { name } = this
    if (before === null) {
      if (after === null) return
      await makeTopic(peer, name, after.partitions, { 'retention.ms': after.retention, 'record.format': 'mykafka' })
    } else if (after === null) {
      const topics = [{ name, topicId: ZERO_UUID }]
      const { responses } = await peer.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 1000 })
      expect(responses[0]?.errorCode).toBe(0)
    } else if (after.partitions !== before.partitions) {
      const topics = [{ name, count: after.partitions, assignments: null }]
      const { results } = await peer.call(createPartitionsApi, 3, { topics, timeoutMs: 1000, validateOnly: false })
      expect(results[0]?.errorCode).toBe(0)
    } else if (after.retention !== before.retention) {
      const configs = [{ name: 'retention.ms', value: after.retention }]
      const resources = [{ resourceType: TOPIC, resourceName: name, configs }]
      const { responses } = await peer.call(alterConfigsApi, 2, { resources, validateOnly: false })
      expect(responses[0]?.errorCode).toBe(0)
    } else if (after.records !== before.records) {
      const value = String(after.creation)
      await client.produce(name, Array(RECORDS).fill({ value }), { partition: 0 })
    } else {
      const topics = [{ name, partitions: [{ partitionIndex: 0, offset: after.start }] }]
      const answer = await peer.call(deleteRecordsApi, 2, { topics, timeoutMs: 1000 })
      expect(answer.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0, lowWatermark: after.start })
    }
  }

  /** Takes what is there for what is; it must be one of what can be. */
  settle(found: State): void {
    const isPossible = this.possible.some((state) => fits(found, state, this.possible[0]))
    expect(isPossible, `${this.name} is ${JSON.stringify(found)}, not one of ${JSON.stringify(this.possible)}`).toBe(
      true,
    )
    this.possible = [found]
  }
}

/** A PRODUCE that was not acknowledged may have left a beginning of its records. */
function fits(found: State, state: State, before: State): boolean {
  if (found === null || state === null) return found === state
  const { records, ...others } = found
  const { records: most, ...expected } = state
  const least = before?.creation === state.creation ? before.records : most
  return JSON.stringify(others) === JSON.stringify(expected) && records >= least && records <= most
}

/** Changes topics one after another until the broker is gone or so many changes were made. */
export async function changeTopics(
  port: number,
  topics: readonly ChangedTopic[],
  random: Random,
  changes: number,
  changed: () => void = () => {},
): Promise<void> {
  const peer = await KafkaPeer.connect(port)
  const client = await Client.connect({ port })
  try {
    for (let i = 0; i < changes; i++) {
      await random.pick(topics).change(peer, client, random)
      changed()
    }
  } finally {
    await client.close()
  }
}

/** Looks at each topic, in the tree and over the wire: each is whole, and as it can be. */
export async function expectWhole(port: number, dataDir: string, topics: readonly ChangedTopic[]): Promise<void> {
  const client = await Client.connect({ port })
  const peer = await KafkaPeer.connect(port)
  expect(await readdir(join(dataDir, '@broker', 'creating'))).toEqual([])
  const tree = await topicTree(dataDir)
  const served = new Map((await client.metadata()).map(({ topic, partitions }) => [topic, partitions]))
  expect([...served.keys()].sort()).toEqual([...tree.keys()].filter((name) => !name.startsWith('__')).sort())
  for (const topic of topics) topic.settle(await find(topic.name))
  await client.close()

  async function find(name: string): Promise<State> {
    const partitions = served.get(name)
    if (partitions === undefined) return null
    expect(tree.get(name), name).toEqual(partitions.map((_, partition) => partition))
    const { results } = await peer.call(describeConfigsApi, 4, configsOf(TOPIC, name, ['retention.ms']))
    const { logStartOffset: start, highWatermark: records } = partitions[0] as (typeof partitions)[0]
    const values = new Set<string>()
    for (let offset = start; offset < records; ) {
      const found = await client.fetch(name, 0, offset)
      for (const { value } of found) values.add(String(value))
      offset += found.length
    }
    expect(values.size, `${name} has records of more than one creation`).toBeLessThanOrEqual(1)
    const [creation] = values
    const possible = topics.find((topic) => topic.name === name)?.possible ?? []
    return {
      // Without records nothing says which creation it is of.
      creation:
        creation === undefined ? (possible.findLast((state) => state !== null)?.creation ?? 0) : Number(creation),
      partitions: partitions.length,
      retention: String(results[0]?.configs[0]?.value),
      records,
      start,
    }
  }
}

/** Clients create, change and delete topics of their own; the broker is killed at a random moment of each round. */
export async function killUnderTopicChanges(random: Random, rounds: number): Promise<void> {
  const options = await busyBroker(await temporaryDirectory())
  const topics = TOPICS.map((name) => new ChangedTopic(name))
  await killInRounds(options, random, rounds, {
    work: ({ port }) => {
      const point = new KillPoint(random, MOST_CHANGES)
      const changed = (): void => void point.answered()
      const work = topics.map((topic) => changeTopics(port, [topic], random, Number.POSITIVE_INFINITY, changed))
      return { point, work: work.map((changing) => changing.catch(expectLost)) }
    },
    compare: ({ port }) => expectWhole(port, options.dataDir, topics),
  })
}
