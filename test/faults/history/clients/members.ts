/** A member of a consumer group over Kafka's wire: it joins, reads, commits, leaves, vanishes, and comes back too late. */
import type { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import { MyKafkaError } from '../../../../src/errors.js'
import { heartbeatApi } from '../../../../src/wire/kafka/generated/heartbeat.js'
import { joinGroupApi } from '../../../../src/wire/kafka/generated/join-group.js'
import { leaveGroupApi } from '../../../../src/wire/kafka/generated/leave-group.js'
import { offsetCommitApi } from '../../../../src/wire/kafka/generated/offset-commit.js'
import { offsetFetchApi } from '../../../../src/wire/kafka/generated/offset-fetch.js'
import { syncGroupApi } from '../../../../src/wire/kafka/generated/sync-group.js'
import type { Random } from '../../../support/seeded-random.js'
import type { Recorder } from '../recorder.js'
import { check, fetchFrom } from './kafka-calls.js'
import { partitionsOf, type Topic } from './topics.js'
import type { World } from './world.js'

/** The last version in which a member is taken in without a second request. */
const JOIN_VERSION = 3
const SESSION_MS = 800

interface Membership {
  readonly memberId: string
  readonly generation: number
  readonly partitions: readonly number[]
}

export async function groupMember(world: World, name: string, group: string, topic: Topic): Promise<void> {
  const { recorder, random } = world.client(name)
  let memberId = ''
  let lives = 0
  await world.connected(world.kafka, async (kafka) => {
    while (!world.isStopping) {
      const joined = await join(kafka, group, topic, memberId).catch((error: unknown) => {
        memberId = ''
        throw error
      })
      memberId = joined.memberId
      const member = new Member(world, kafka, recorder, random, { name: `${name} ${++lives}`, group, topic, joined })
      const end = await member.live()
      if (end === 'left' || end === 'vanished') memberId = ''
      // The connection is closed, and the session ends by itself.
      if (end === 'vanished') throw new MyKafkaError('CONNECTION_CLOSED', `${name} vanishes`)
    }
    if (memberId !== '') await leave(kafka, group, memberId)
  })
}

interface MemberOptions {
  readonly name: string
  readonly group: string
  readonly topic: Topic
  readonly joined: Membership
}

/** A member in one generation. */
class Member {
  readonly #world: World
  readonly #kafka: KafkaConnection
  readonly #recorder: Recorder
  readonly #random: Random
  readonly #options: MemberOptions
  readonly #positions = new Map<number, number>()

  constructor(world: World, kafka: KafkaConnection, recorder: Recorder, random: Random, options: MemberOptions) {
    this.#world = world
    this.#kafka = kafka
    this.#recorder = recorder
    this.#random = random
    this.#options = options
  }

  async live(): Promise<'rebalance' | 'left' | 'vanished'> {
    const { group, topic, joined } = this.#options
    const { memberId: member, generation, partitions } = joined
    const own = partitions.map((partition) => {
      return this.#recorder.begin({ on: `${topic.name}/${partition}`, op: 'own', group, member, generation })
    })
    try {
      for (const partition of partitions) this.#positions.set(partition, (await this.#committed(partition)) ?? 0)
      for (let left = this.#random.integer(3, 60); left > 0 && !this.#world.isStopping; left--) {
        for (const partition of partitions) await this.#read(partition)
        if (this.#random.next() < 0.3) await this.#commit()
        // It sleeps past its session, and does not know of it.
        if (this.#random.next() < 0.01) await this.#world.pause(SESSION_MS * 2)
        if (await this.#isRebalancing()) {
          if (this.#random.next() < 0.5) await this.#commit()
          return 'rebalance'
        }
        await this.#world.pause(this.#random.integer(0, 20))
      }
      if (this.#world.isStopping) return 'rebalance'
      if (this.#random.next() < 0.4) return 'vanished'
      await leave(this.#kafka, group, member)
      return 'left'
    } finally {
      for (const each of own) each.ok()
    }
  }

  async #read(partition: number): Promise<void> {
    const { name, group, topic } = this.#options
    const from = this.#positions.get(partition) as number
    const asked = {
      on: `${topic.name}/${partition}`,
      op: 'fetch',
      reader: `${name}/${partition}`,
      group,
      from,
    } as const
    const ask = () => fetchFrom(this.#kafka, topic.name, partition, from, { maxBytes: 10_000 })
    const { next } = await this.#recorder.record(asked, ask, (answer) => answer)
    this.#positions.set(partition, next)
  }

  async #committed(partition: number): Promise<number | null> {
    const { group, topic } = this.#options
    const asked = { on: `${topic.name}/${partition}`, op: 'committed', group } as const
    const ask = () => committedOffset(this.#kafka, group, topic.name, partition)
    return await this.#recorder.record(asked, ask, (offset) => ({ offset }))
  }

  async #commit(): Promise<void> {
    const { group, topic, joined } = this.#options
    const { generation } = joined
    const calls = [...this.#positions].map(([partition, offset]) => {
      const on = `${topic.name}/${partition}`
      return { partition, offset, call: this.#recorder.begin({ on, op: 'commit', group, offset, generation }) }
    })
    if (calls.length === 0) return
    try {
      const answers = await commitOffsets(this.#kafka, group, joined, topic.name, this.#positions)
      for (const { partition, call } of calls) {
        try {
          check(answers.get(partition), `OffsetCommit of ${group}`)
          call.ok()
        } catch (error) {
          call.failed(error)
        }
      }
    } catch (error) {
      for (const { call } of calls) call.failed(error)
      throw error
    }
  }

  async #isRebalancing(): Promise<boolean> {
    const { group, joined } = this.#options
    const { memberId, generation: generationId } = joined
    const request = { groupId: group, generationId, memberId, groupInstanceId: null }
    return (await this.#kafka.call(heartbeatApi, 3, request)).errorCode !== 0
  }
}

async function join(kafka: KafkaConnection, group: string, topic: Topic, memberId: string): Promise<Membership> {
  const joined = await kafka.call(joinGroupApi, JOIN_VERSION, {
    groupId: group,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: SESSION_MS,
    memberId,
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: subscription(topic.name) }],
    reason: null,
  })
  check(joined.errorCode, `JoinGroup of ${group}`)
  const generation = joined.generationId as number
  const all = partitionsOf(topic)
  const shares = joined.members.map((member, at) => ({
    memberId: member.memberId,
    assignment: assignment(
      topic.name,
      all.filter(({ partition }) => partition % joined.members.length === at).map(({ partition }) => partition),
    ),
  }))
  const synced = await kafka.call(syncGroupApi, JOIN_VERSION, {
    groupId: group,
    generationId: generation,
    memberId: joined.memberId,
    groupInstanceId: null,
    protocolType: null,
    protocolName: null,
    assignments: joined.leader === joined.memberId ? shares : [],
  })
  check(synced.errorCode, `SyncGroup of ${group}`)
  return { memberId: joined.memberId, generation, partitions: assignedPartitions(synced.assignment, topic.name) }
}

async function leave(kafka: KafkaConnection, groupId: string, memberId: string): Promise<void> {
  await kafka.call(leaveGroupApi, 3, {
    groupId,
    memberId: '',
    members: [{ memberId, groupInstanceId: null, reason: null }],
  })
}

export async function committedOffset(
  kafka: KafkaConnection,
  groupId: string,
  topic: string,
  partition: number,
): Promise<number | null> {
  const topics = [{ name: topic, partitionIndexes: [partition] }]
  const answer = await kafka.call(offsetFetchApi, 5, { groupId, topics, groups: [], requireStable: false })
  check(answer.errorCode, `OffsetFetch of ${groupId}`)
  const found = answer.topics[0]?.partitions[0]
  check(found?.errorCode, `OffsetFetch of ${groupId}, ${topic}-${partition}`)
  const offset = found?.committedOffset as number
  return offset < 0 ? null : offset
}

/** Returns the error codes by partition. */
async function commitOffsets(
  kafka: KafkaConnection,
  groupId: string,
  { memberId, generation }: Membership,
  topic: string,
  offsets: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const partitions = [...offsets].map(([partitionIndex, committedOffset]) => {
    return { partitionIndex, committedOffset, committedLeaderEpoch: -1, committedMetadata: null }
  })
  const { topics } = await kafka.call(offsetCommitApi, 6, {
    groupId,
    generationIdOrMemberEpoch: generation,
    memberId,
    groupInstanceId: null,
    retentionTimeMs: -1n,
    topics: [{ name: topic, partitions }],
  })
  return new Map(topics[0]?.partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode]))
}

/** What a consumer tells of itself: version 0, one topic, no user data. */
function subscription(topic: string): Buffer {
  return Buffer.concat([int16(0), int32(1), int16(topic.length), Buffer.from(topic), int32(-1)])
}

/** What a consumer is told: version 0, one topic, its partitions, no user data. */
function assignment(topic: string, partitions: readonly number[]): Buffer {
  const numbers = [partitions.length, ...partitions, -1].map(int32)
  return Buffer.concat([int16(0), int32(1), int16(topic.length), Buffer.from(topic), ...numbers])
}

function assignedPartitions(bytes: Buffer, topic: string): number[] {
  if (bytes.length === 0) return []
  const at = 8 + topic.length
  return Array.from({ length: bytes.readInt32BE(at) }, (_, index) => bytes.readInt32BE(at + 4 + index * 4))
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
