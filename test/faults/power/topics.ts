import { Client } from '../../../src/client/index.js'
import { createPartitionsApi } from '../../../src/wire/kafka/generated/create-partitions.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { describeConfigsApi } from '../../../src/wire/kafka/generated/describe-configs.js'
import { incrementalAlterConfigsApi } from '../../../src/wire/kafka/generated/incremental-alter-configs.js'
import { metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { configsOf, makeTopic, TOPIC } from '../../support/admin-requests.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Random } from '../../support/seeded-random.js'
import type { Life } from './life.js'

const MOST_PARTITIONS = 5
const MOST_CHANGES = 60
const DEFAULT_RETENTION = '604800000'
const SET = 0

/** A topic as it is; null: it is not there. */
type State = null | {
  /** null: made over MyKafka's wire, which tells of none. */
  readonly id: string | null
  readonly partitions: number
  readonly retention: string
}

/** A topic that the broker has. */
export interface FoundTopic {
  readonly id: string
  readonly partitions: number
}

/** Every topic of clients. */
export async function foundTopics(peer: KafkaPeer): Promise<Map<string, FoundTopic>> {
  const asked = { allowAutoTopicCreation: false, includeClusterAuthorizedOperations: false }
  const answer = await peer.call(metadataApi, 12, { topics: null, ...asked, includeTopicAuthorizedOperations: false })
  return new Map(
    answer.topics
      .filter(({ isInternal }) => isInternal !== true)
      .map(({ name, topicId, partitions }) => [name ?? '', { id: topicId, partitions: partitions.length }]),
  )
}

/** Topics that come, change and go, one change after another, and what may be of each of them. */
export class TopicChanger {
  readonly names: readonly string[]
  readonly #random: Random
  /** By name: as it was acknowledged, and as what was sent behind that would leave it. */
  readonly #possible = new Map<string, State[]>()
  /** Ids of topics whose deletion was acknowledged. */
  readonly #deleted = new Set<string>()

  constructor(names: readonly string[], random: Random) {
    this.names = names
    this.#random = random
    for (const name of names) this.#possible.set(name, [null])
  }

  async change(port: number, life: Life, mode: string): Promise<void> {
    let left = MOST_CHANGES
    let peer: KafkaPeer | null = null
    let client: Client | null = null
    await life.keepUp(1, async () => {
      peer ??= await KafkaPeer.connect(port)
      client ??= await Client.connect({ port })
      if (left-- === 0) return 'enough'
      const name = this.#random.pick(this.names)
      const [before = null] = this.#possible.get(name) as State[]
      const after = this.#next(before)
      this.#possible.set(name, [before, after])
      const id = await this.#ask(name, before, after, { peer, client })
      if (!life.isAnswering) return 'enough'
      this.#possible.set(name, [after === null ? null : { ...after, id }])
      if (after === null && before?.id != null) this.#deleted.add(before.id)
      life.acknowledged('topics', mode, 1)
      return 'more'
    })
    ;(peer as KafkaPeer | null)?.peer.socket.destroy()
    await (client as Client | null)?.close()
  }

  #next(state: State): State {
    const random = this.#random
    if (state === null) {
      const retention = random.next() < 0.5 ? DEFAULT_RETENTION : String(random.integer(1, 1000))
      return { id: null, partitions: random.integer(1, 3), retention }
    }
    const kind = random.next()
    if (kind < 0.4) return null
    if (kind < 0.7 && state.partitions < MOST_PARTITIONS) {
      return { ...state, partitions: random.integer(state.partitions + 1, MOST_PARTITIONS) }
    }
    return { ...state, retention: String(Number(state.retention) + 1) }
  }

  /** Returns its id, where it is known. */
  async #ask(
    name: string,
    before: State,
    after: State,
    { peer, client }: { peer: KafkaPeer; client: Client },
  ): Promise<string | null> {
    if (before === null) {
      const { partitions, retention } = after as NonNullable<State>
      if (retention !== DEFAULT_RETENTION) return await makeTopic(peer, name, partitions, { 'retention.ms': retention })
      expectAnswer(await client.createTopic(name, partitions), 'created', `CREATE_TOPIC ${name}`)
      return null
    }
    if (after === null) {
      const topics = [{ name, topicId: ZERO_UUID }]
      const { responses } = await peer.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 1000 })
      expectAnswer(responses[0]?.errorCode, 0, `DeleteTopics ${name}`)
    } else if (after.partitions !== before.partitions) {
      const topics = [{ name, count: after.partitions, assignments: null }]
      const { results } = await peer.call(createPartitionsApi, 3, { topics, timeoutMs: 1000, validateOnly: false })
      expectAnswer(results[0]?.errorCode, 0, `CreatePartitions ${name}`)
    } else {
      const configs = [{ name: 'retention.ms', configOperation: SET, value: after.retention }]
      const resources = [{ resourceType: TOPIC, resourceName: name, configs }]
      const { responses } = await peer.call(incrementalAlterConfigsApi, 1, { resources, validateOnly: false })
      expectAnswer(responses[0]?.errorCode, 0, `IncrementalAlterConfigs ${name}`)
    }
    return before.id
  }

  /** Holds what is there against what was asked for, and takes it for what is from then on. Returns what is not right. */
  async settle(peer: KafkaPeer, topics: ReadonlyMap<string, FoundTopic>): Promise<string[]> {
    const wrong: string[] = []
    for (const name of this.names) {
      const topic = topics.get(name)
      const found = topic === undefined ? null : { ...topic, retention: await retentionOf(peer, name) }
      const possible = this.#possible.get(name) as State[]
      if (!possible.some((state) => fits(found, state))) {
        wrong.push(`${name} is ${JSON.stringify(found)}, not one of ${JSON.stringify(possible)}`)
      }
      if (found !== null && this.#deleted.has(found.id)) wrong.push(`${name} was deleted, and is back: ${found.id}`)
      this.#possible.set(name, [found])
    }
    return wrong
  }
}

function fits(found: State, state: State): boolean {
  if (found === null || state === null) return found === state
  const { id, partitions, retention } = state
  return found.partitions === partitions && found.retention === retention && (id === null || found.id === id)
}

async function retentionOf(peer: KafkaPeer, name: string): Promise<string> {
  const { results } = await peer.call(describeConfigsApi, 4, configsOf(TOPIC, name, ['retention.ms']))
  return results[0]?.configs[0]?.value ?? ''
}

function expectAnswer(found: unknown, expected: unknown, what: string): void {
  if (found !== expected) throw new Error(`${what} answered ${found}`)
}
