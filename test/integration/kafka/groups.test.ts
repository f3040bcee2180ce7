import { describe, expect, it } from 'vitest'
import type { BrokerOptions } from '../../../src/server/broker.js'
import { deleteGroupsApi } from '../../../src/wire/kafka/generated/delete-groups.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { describeGroupsApi } from '../../../src/wire/kafka/generated/describe-groups.js'
import { findCoordinatorApi } from '../../../src/wire/kafka/generated/find-coordinator.js'
import { heartbeatApi } from '../../../src/wire/kafka/generated/heartbeat.js'
import { type JoinGroupRequest, joinGroupApi } from '../../../src/wire/kafka/generated/join-group.js'
import { leaveGroupApi } from '../../../src/wire/kafka/generated/leave-group.js'
import { listGroupsApi } from '../../../src/wire/kafka/generated/list-groups.js'
import { offsetCommitApi } from '../../../src/wire/kafka/generated/offset-commit.js'
import { offsetDeleteApi } from '../../../src/wire/kafka/generated/offset-delete.js'
import { offsetFetchApi } from '../../../src/wire/kafka/generated/offset-fetch.js'
import { syncGroupApi } from '../../../src/wire/kafka/generated/sync-group.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { subscription } from '../../support/groups.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { temporaryDirectory } from '../../support/temporary.js'

const UNKNOWN_TOPIC_OR_PARTITION = 3
const OFFSET_METADATA_TOO_LARGE = 12
const ILLEGAL_GENERATION = 22
const INCONSISTENT_GROUP_PROTOCOL = 23
const INVALID_GROUP_ID = 24
const UNKNOWN_MEMBER_ID = 25
const INVALID_REQUEST = 42
const NON_EMPTY_GROUP = 68
const GROUP_ID_NOT_FOUND = 69
const MEMBER_ID_REQUIRED = 79
const GROUP_SUBSCRIBED_TO_TOPIC = 86

const JOIN: JoinGroupRequest = {
  groupId: 'g',
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 60_000,
  memberId: '',
  groupInstanceId: null,
  protocolType: 'consumer',
  protocols: [{ name: 'range', metadata: subscription('t') }],
  reason: null,
}

async function start(options: BrokerOptions = {}): Promise<{ broker: TestBroker; peer: KafkaPeer }> {
  const broker = await startBroker({ nodeId: 7, ...options })
  const plain = await broker.connect()
  await plain.call(frames.createTopic('t', 3))
  await plain.call(frames.createTopic('u', 1))
  return { broker, peer: await KafkaPeer.connect(broker.port) }
}

async function join(peer: KafkaPeer, version: number, groupInstanceId: string | null = null) {
  const first = await peer.call(joinGroupApi, version, { ...JOIN, groupInstanceId })
  if (first.errorCode !== MEMBER_ID_REQUIRED) return first
  return await peer.call(joinGroupApi, version, { ...JOIN, memberId: first.memberId })
}

async function sync(
  peer: KafkaPeer,
  version: number,
  { memberId, generationId = -1 }: { memberId: string; generationId?: number | undefined },
) {
  return await peer.call(syncGroupApi, version, {
    groupId: 'g',
    generationId,
    memberId,
    groupInstanceId: null,
    protocolType: 'consumer',
    protocolName: 'range',
    assignments: [{ memberId, assignment: Buffer.from('all') }],
  })
}

const partition = (partitionIndex: number, committedOffset: number, committedMetadata: string | null = '') => ({
  partitionIndex,
  committedOffset,
  committedLeaderEpoch: 4,
  committedMetadata,
})

const commit = async (
  peer: KafkaPeer,
  version: number,
  topics: { name: string; partitions: ReturnType<typeof partition>[] }[],
  member: { memberId: string; generationId?: number | undefined } = { memberId: '', generationId: -1 },
) =>
  await peer.call(offsetCommitApi, version, {
    groupId: 'g',
    generationIdOrMemberEpoch: member.generationId ?? -1,
    memberId: member.memberId,
    groupInstanceId: null,
    retentionTimeMs: -1n,
    topics,
  })

describe.each([0, 1, 2, 3, 4, 5, 6])('FindCoordinator %i', (version) => {
  it('names this broker for groups and transactions, by the address that the client came to', async () => {
    const { broker, peer } = await start()
    const ask = (keyType: number) =>
      peer.call(findCoordinatorApi, version, { key: 'g', keyType, coordinatorKeys: ['g', 'h'] })
    const broken = { nodeId: -1, host: '', port: -1, errorCode: INVALID_REQUEST }
    const here = { nodeId: 7, host: '127.0.0.1', port: broker.port, errorCode: 0 }
    const answers =
      version === 0
        ? [[0, here] as const]
        : ([
            [0, here],
            [1, here],
            [2, broken],
          ] as const)
    for (const [keyType, expected] of answers) {
      const answer = await ask(keyType)
      if (version < 4) expect(answer).toMatchObject(expected)
      else
        expect(answer.coordinators).toMatchObject([
          { ...expected, key: 'g' },
          { ...expected, key: 'h' },
        ])
    }
  })
})

describe.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('JoinGroup %i', (version) => {
  it('begins a group', async () => {
    const { peer } = await start()
    if (version >= 4) {
      const told = await peer.call(joinGroupApi, version, JOIN)
      expect(told).toMatchObject({ errorCode: MEMBER_ID_REQUIRED, generationId: -1, members: [] })
      expect(told.memberId).toMatch(/^test-/)
    }
    const joined = await join(peer, version)
    expect(joined).toMatchObject({ errorCode: 0, generationId: 1, protocolName: 'range', leader: joined.memberId })
    expect(joined.members).toEqual([{ memberId: joined.memberId, groupInstanceId: null, metadata: subscription('t') }])
    expect(await peer.call(joinGroupApi, version, { ...JOIN, groupId: '' })).toMatchObject({
      errorCode: INVALID_GROUP_ID,
      generationId: -1,
      protocolName: version < 7 ? '' : null,
    })
  })
})

describe.each([5, 6, 7, 8, 9])('JoinGroup %i', (version) => {
  it('lets a static member come back without a rebalance', async () => {
    const { peer } = await start()
    const first = await join(peer, version, 'i')
    await sync(peer, 3, first)
    const again = await join(peer, version, 'i')
    expect(again).toMatchObject({ errorCode: 0, generationId: 1 })
    expect(again.memberId).not.toBe(first.memberId)
    if (version >= 9) expect(again).toMatchObject({ skipAssignment: true, leader: again.memberId })
    else expect(again).toMatchObject({ leader: first.memberId, members: [] })
    expect((await sync(peer, 5, again)).assignment.toString()).toBe('all')
    const fenced = { groupId: 'g', generationId: 1, memberId: first.memberId, groupInstanceId: 'i' }
    expect(await peer.call(heartbeatApi, 4, fenced)).toMatchObject({ errorCode: 82 })
  })
})

describe.each([0, 1, 2, 3, 4, 5])('SyncGroup %i', (version) => {
  it('hands out what the leader assigned', async () => {
    const { peer } = await start()
    const member = await join(peer, 9)
    const synced = await sync(peer, version, member)
    expect(synced).toMatchObject({ errorCode: 0, assignment: Buffer.from('all') })
    if (version >= 5) expect(synced).toMatchObject({ protocolType: 'consumer', protocolName: 'range' })
    const wrong = { ...member, generationId: 2 }
    expect(await sync(peer, version, wrong)).toMatchObject({ errorCode: ILLEGAL_GENERATION })
  })
})

it('SyncGroup 5 must say what it assigns by', async () => {
  const { peer } = await start()
  const { memberId, generationId = -1 } = await join(peer, 9)
  const request = { groupId: 'g', generationId, memberId, groupInstanceId: null, assignments: [] }
  const silent = { ...request, protocolType: null, protocolName: null }
  expect(await peer.call(syncGroupApi, 5, silent)).toMatchObject({ errorCode: INCONSISTENT_GROUP_PROTOCOL })
})

describe.each([0, 1, 2, 3, 4])('Heartbeat %i', (version) => {
  it('of a member is answered, of another refused', async () => {
    const { peer } = await start()
    const { memberId, generationId = -1 } = await join(peer, 9)
    const beat = { groupId: 'g', generationId, memberId, groupInstanceId: null }
    expect(await peer.call(heartbeatApi, version, beat)).toMatchObject({ errorCode: 0 })
    const other = { ...beat, memberId: 'm' }
    expect(await peer.call(heartbeatApi, version, other)).toMatchObject({ errorCode: UNKNOWN_MEMBER_ID })
  })
})

describe.each([0, 1, 2, 3, 4, 5])('LeaveGroup %i', (version) => {
  it('ends a membership', async () => {
    const { peer } = await start()
    const { memberId } = await join(peer, 9)
    const leave = (id: string) =>
      peer.call(leaveGroupApi, version, {
        groupId: 'g',
        memberId: id,
        members: [{ memberId: id, groupInstanceId: null, reason: null }],
      })
    for (const [id, errorCode] of [
      [memberId, 0],
      [memberId, UNKNOWN_MEMBER_ID],
    ] as const) {
      const answer = await leave(id)
      if (version < 3) expect(answer).toMatchObject({ errorCode })
      else expect(answer).toMatchObject({ errorCode: 0, members: [{ memberId: id, groupInstanceId: null, errorCode }] })
    }
    const described = await peer.call(describeGroupsApi, 5, { groups: ['g'], includeAuthorizedOperations: false })
    expect(described.groups).toMatchObject([{ groupState: 'Empty', members: [] }])
  })
})

describe.each([2, 3, 4, 5, 6, 7, 8, 9])('OffsetCommit %i', (version) => {
  it('commits what there is, and tells of the rest one by one', async () => {
    const { peer } = await start()
    const answer = await commit(peer, version, [
      { name: 't', partitions: [partition(0, 5, 'x'), partition(9, 1), partition(1, 6, 'x'.repeat(4097))] },
      { name: 'none', partitions: [partition(0, 1)] },
      { name: 'u', partitions: [partition(0, 7, null)] },
    ])
    expect(answer.topics).toEqual([
      {
        name: 't',
        partitions: [
          { partitionIndex: 0, errorCode: 0 },
          { partitionIndex: 9, errorCode: UNKNOWN_TOPIC_OR_PARTITION },
          { partitionIndex: 1, errorCode: OFFSET_METADATA_TOO_LARGE },
        ],
      },
      { name: 'none', partitions: [{ partitionIndex: 0, errorCode: UNKNOWN_TOPIC_OR_PARTITION }] },
      { name: 'u', partitions: [{ partitionIndex: 0, errorCode: 0 }] },
    ])
    const { groups } = await peer.call(offsetFetchApi, 9, {
      groupId: '',
      topics: [],
      groups: [{ groupId: 'g', memberId: null, memberEpoch: -1, topics: null }],
      requireStable: true,
    })
    const committedLeaderEpoch = version >= 6 ? 4 : -1
    const rest = { committedLeaderEpoch, partitionIndex: 0, errorCode: 0 }
    expect(groups).toEqual([
      {
        groupId: 'g',
        errorCode: 0,
        topics: [
          { name: 't', partitions: [{ ...rest, committedOffset: 5, metadata: 'x' }] },
          { name: 'u', partitions: [{ ...rest, committedOffset: 7, metadata: '' }] },
        ],
      },
    ])
  })

  it('is for members of the present generation', async () => {
    const { broker, peer } = await start()
    const member = await join(peer, 9)
    await sync(peer, 5, member)
    const topics = [{ name: 't', partitions: [partition(0, 1)] }]
    const codeOf = async (by: { memberId: string; generationId?: number | undefined }) =>
      (await commit(peer, version, topics, by)).topics[0]?.partitions[0]?.errorCode
    expect(await codeOf(member)).toBe(0)
    expect(await codeOf({ ...member, generationId: 7 })).toBe(ILLEGAL_GENERATION)
    expect(await codeOf({ memberId: 'm', generationId: 1 })).toBe(UNKNOWN_MEMBER_ID)
    expect(await codeOf({ memberId: '', generationId: -1 })).toBe(UNKNOWN_MEMBER_ID)
    const plain = await broker.connect()
    expect(await plain.call(frames.commitOffset('g', 't', 0, 9))).toEqual(frames.committed(UNKNOWN_MEMBER_ID))
    const nobody = await peer.call(offsetCommitApi, version, {
      groupId: 'h',
      generationIdOrMemberEpoch: 1,
      memberId: 'm',
      groupInstanceId: null,
      retentionTimeMs: -1n,
      topics,
    })
    const expected = version >= 9 ? GROUP_ID_NOT_FOUND : ILLEGAL_GENERATION
    expect(nobody.topics[0]?.partitions[0]?.errorCode).toBe(expected)
  })
})

describe.each([1, 2, 3, 4, 5, 6, 7])('OffsetFetch %i', (version) => {
  it('tells what one group committed, -1 for the rest', async () => {
    const { peer } = await start()
    await commit(peer, 9, [{ name: 't', partitions: [partition(1, 5, 'x')] }])
    const ask = (topics: { name: string; partitionIndexes: number[] }[] | null) =>
      peer.call(offsetFetchApi, version, { groupId: 'g', topics, groups: [], requireStable: false })
    const found = {
      partitionIndex: 1,
      committedOffset: 5,
      committedLeaderEpoch: version >= 5 ? 4 : -1,
      metadata: 'x',
      errorCode: 0,
    }
    const none = { partitionIndex: 0, committedOffset: -1, committedLeaderEpoch: -1, metadata: '', errorCode: 0 }
    const { topics } = await ask([
      { name: 't', partitionIndexes: [0, 1] },
      { name: 'none', partitionIndexes: [0] },
    ])
    expect(topics).toEqual([
      { name: 't', partitions: [none, found] },
      { name: 'none', partitions: [none] },
    ])
    if (version >= 2) expect((await ask(null)).topics).toEqual([{ name: 't', partitions: [found] }])
  })
})

describe.each([8, 9])('OffsetFetch %i', (version) => {
  it('asks for several groups at once', async () => {
    const { peer } = await start()
    await commit(peer, 9, [{ name: 't', partitions: [partition(1, 5)] }])
    const topics = [{ name: 't', partitionIndexes: [1] }]
    const { groups } = await peer.call(offsetFetchApi, version, {
      groupId: '',
      topics: null,
      groups: ['g', 'h'].map((groupId) => ({ groupId, memberId: null, memberEpoch: -1, topics })),
      requireStable: false,
    })
    expect(groups.map(({ groupId, topics: [topic] }) => [groupId, topic?.partitions[0]?.committedOffset])).toEqual([
      ['g', 5],
      ['h', -1],
    ])
  })
})

it('OffsetDelete deletes what no member reads', async () => {
  const { peer } = await start()
  await commit(peer, 9, [
    { name: 't', partitions: [partition(0, 5)] },
    { name: 'u', partitions: [partition(0, 6)] },
  ])
  await sync(peer, 5, await join(peer, 9))
  const ask = (groupId: string) =>
    peer.call(offsetDeleteApi, 0, {
      groupId,
      topics: ['t', 'u', 'none'].map((name) => ({ name, partitions: [{ partitionIndex: 0 }] })),
    })
  expect(await ask('h')).toMatchObject({ errorCode: GROUP_ID_NOT_FOUND, topics: [] })
  const { topics } = await ask('g')
  expect(topics.map(({ name, partitions }) => [name, partitions[0]?.errorCode])).toEqual([
    ['t', GROUP_SUBSCRIBED_TO_TOPIC],
    ['u', 0],
    ['none', UNKNOWN_TOPIC_OR_PARTITION],
  ])
  const left = await peer.call(offsetFetchApi, 7, { groupId: 'g', topics: null, groups: [], requireStable: false })
  expect(left.topics.map(({ name }) => name)).toEqual(['t'])
})

describe.each([0, 1, 2, 3, 4, 5])('ListGroups and DescribeGroups %i', (version) => {
  it('show groups with members and without', async () => {
    const { broker, peer } = await start()
    await (await broker.connect()).call(frames.commitOffset('simple', 't', 0, 1))
    const { memberId } = await join(peer, 9)
    const list = async (statesFilter: string[] = [], typesFilter: string[] = []) =>
      (await peer.call(listGroupsApi, version, { statesFilter, typesFilter })).groups
    expect(await list()).toMatchObject([
      { groupId: 'simple', protocolType: '' },
      { groupId: 'g', protocolType: 'consumer' },
    ])
    if (version >= 4) expect(await list(['completingrebalance', 'Stable'])).toMatchObject([{ groupId: 'g' }])
    if (version >= 5) {
      expect(await list([], ['consumer'])).toEqual([])
      expect(await list(['Empty'], ['Classic'])).toMatchObject([{ groupState: 'Empty', groupType: 'classic' }])
    }
    await sync(peer, 5, { memberId, generationId: 1 })
    const { groups } = await peer.call(describeGroupsApi, version, {
      groups: ['g', 'simple', 'none'],
      includeAuthorizedOperations: true,
    })
    expect(groups).toMatchObject([
      {
        errorCode: 0,
        groupId: 'g',
        groupState: 'Stable',
        protocolType: 'consumer',
        protocolData: 'range',
        members: [
          {
            memberId,
            clientId: 'test',
            clientHost: '/127.0.0.1',
            memberMetadata: subscription('t'),
            memberAssignment: Buffer.from('all'),
          },
        ],
        authorizedOperations: -2147483648,
      },
      { groupId: 'simple', groupState: 'Empty', protocolType: '', members: [] },
      { groupId: 'none', groupState: 'Dead', members: [] },
    ])
  })
})

describe.each([0, 1, 2])('DeleteGroups %i', (version) => {
  it('deletes groups without members', async () => {
    const { broker, peer } = await start()
    const plain = await broker.connect()
    await plain.call(frames.commitOffset('simple', 't', 0, 1))
    await join(peer, 9)
    const { results } = await peer.call(deleteGroupsApi, version, { groupsNames: ['g', 'simple', 'none', 'simple'] })
    expect(results).toEqual([
      { groupId: 'g', errorCode: NON_EMPTY_GROUP },
      { groupId: 'simple', errorCode: 0 },
      { groupId: 'none', errorCode: GROUP_ID_NOT_FOUND },
    ])
    expect(await plain.call(frames.fetchOffset('simple', 't', 0))).toEqual(frames.offsetFetched(0, -1))
  })
})

it('offsets go with their topic: one that is made anew under the name begins without', async () => {
  const { broker, peer } = await start({ dataDir: await temporaryDirectory() })
  await commit(peer, 9, [
    { name: 't', partitions: [partition(0, 5)] },
    { name: 'u', partitions: [partition(0, 6)] },
  ])
  const deletion = { topics: [], topicNames: ['t'], timeoutMs: 1000 }
  expect((await peer.call(deleteTopicsApi, 5, deletion)).responses).toMatchObject([{ errorCode: 0 }])
  const plain = await broker.connect()
  await plain.call(frames.createTopic('t', 3))
  const offsets = async (of: KafkaPeer) =>
    (await of.call(offsetFetchApi, 7, { groupId: 'g', topics: null, groups: [], requireStable: false })).topics
  const left = [{ name: 'u', partitions: [{ committedOffset: 6 }] }]
  expect(await offsets(peer)).toMatchObject(left)
  await broker.stop()
  const again = await startBroker({ nodeId: 7, dataDir: broker.dataDir })
  expect(await offsets(await KafkaPeer.connect(again.port))).toMatchObject(left)
})

it('a stop of the broker does not wait for members that wait for others', async () => {
  const { broker, peer } = await start()
  await sync(peer, 5, await join(peer, 9))
  const other = await KafkaPeer.connect(broker.port)
  const { memberId } = await other.call(joinGroupApi, 9, JOIN)
  const waiting = other.call(joinGroupApi, 9, { ...JOIN, memberId })
  await peer.call(heartbeatApi, 4, { groupId: 'g', generationId: 1, memberId, groupInstanceId: null })
  await broker.stop()
  expect(await waiting).toMatchObject({ errorCode: 16, memberId })
})
