import { expect, it, vi } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import type { JoinResult } from '../../../src/group/group-messages.js'
import { TestGroups } from '../../support/groups.js'

const code = (name: keyof typeof KAFKA_ERRORS): number => KAFKA_ERRORS[name].wire

async function pair(): Promise<{ groups: TestGroups; leader: JoinResult; follower: JoinResult }> {
  const groups = await TestGroups.start()
  const [leader, follower] = (await groups.stableGroup(2)) as [JoinResult, JoinResult]
  return { groups, leader, follower }
}

it('a member that syncs first waits for the leader, and everyone gets its own', async () => {
  const groups = await TestGroups.start()
  const alone = await groups.join()
  const second = groups.join()
  const leader = await groups.join({ memberId: alone.memberId })
  const follower = await second
  const waiting = groups.sync(follower)
  expect(groups.state).toBe('CompletingRebalance')
  const own = await groups.sync(leader, { [leader.memberId]: 'one', [follower.memberId]: 'two', stranger: 'three' })
  expect(own).toEqual({
    errorCode: 0,
    protocolType: 'consumer',
    protocolName: 'range',
    assignment: Buffer.from('one'),
  })
  expect((await waiting).assignment.toString()).toBe('two')
  expect(groups.state).toBe('Stable')
  // And once more, where the answer was lost.
  expect((await groups.sync(follower)).assignment.toString()).toBe('two')
})

it('a member that the leader left out gets nothing', async () => {
  const groups = await TestGroups.start()
  const leader = await groups.join()
  expect(await groups.sync(leader)).toMatchObject({ errorCode: 0, assignment: Buffer.alloc(0) })
})

it('who waits for its assignment is sent back to join where another member comes', async () => {
  const groups = await TestGroups.start()
  const first = await groups.join()
  const second = groups.join()
  const leader = await groups.join({ memberId: first.memberId })
  const waiting = groups.sync(await second)
  const third = groups.join()
  expect(await waiting).toMatchObject({ errorCode: code('REBALANCE_IN_PROGRESS') })
  expect(await groups.sync(leader)).toMatchObject({ errorCode: code('REBALANCE_IN_PROGRESS') })
  void third
})

it('an assignment that comes too late, while a rebalance has begun, is dropped', async () => {
  const groups = await TestGroups.start()
  const first = await groups.join()
  const stale = groups.sync(first, { [first.memberId]: 'stale' })
  const second = groups.join()
  expect(await stale).toMatchObject({ errorCode: code('REBALANCE_IN_PROGRESS') })
  const again = await groups.join({ memberId: first.memberId })
  await second
  const fresh = await groups.sync(again, { [again.memberId]: 'fresh' })
  expect(fresh.assignment.toString()).toBe('fresh')
})

it('a sync of a wrong generation, of a stranger and of other protocols is refused', async () => {
  const { groups, leader } = await pair()
  const request = { groupId: 'g', memberId: leader.memberId, groupInstanceId: null, protocolType: null }
  const sync = async (changes: object) =>
    await groups.coordinator.sync({
      ...request,
      generationId: leader.generationId,
      protocolName: null,
      assignments: [],
      ...changes,
    })
  expect(await sync({})).toMatchObject({ errorCode: 0 })
  expect(await sync({ generationId: 1 })).toMatchObject({ errorCode: code('ILLEGAL_GENERATION') })
  expect(await sync({ memberId: 'm' })).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID') })
  expect(await sync({ groupId: 'h' })).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID') })
  expect(await sync({ groupId: '' })).toMatchObject({ errorCode: code('INVALID_GROUP_ID') })
  expect(await sync({ protocolType: 'connect' })).toMatchObject({ errorCode: code('INCONSISTENT_GROUP_PROTOCOL') })
  expect(await sync({ protocolName: 'other' })).toMatchObject({ errorCode: code('INCONSISTENT_GROUP_PROTOCOL') })
})

it('members that join and never sync are out when the rebalance timeout is over', async () => {
  const groups = await TestGroups.start()
  const alone = await groups.join({ sessionTimeoutMs: 1_800_000 })
  const second = groups.join({ sessionTimeoutMs: 1_800_000 })
  const leader = await groups.join({ memberId: alone.memberId, sessionTimeoutMs: 1_800_000 })
  const silent = await second
  await groups.sync(leader)
  vi.advanceTimersByTime(59_999)
  expect(groups.state).toBe('Stable')
  vi.advanceTimersByTime(1)
  expect(groups.state).toBe('PreparingRebalance')
  expect(groups.heartbeat(silent)).toBe(code('UNKNOWN_MEMBER_ID'))
})

it('heartbeats keep a session; without them it ends, and the others join again', async () => {
  const { groups, leader, follower } = await pair()
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(9_000)
    expect(groups.heartbeat(leader)).toBe(0)
    expect(groups.heartbeat(follower)).toBe(0)
  }
  vi.advanceTimersByTime(9_999)
  expect(groups.heartbeat(leader)).toBe(0)
  expect(groups.state).toBe('Stable')
  vi.advanceTimersByTime(1)
  expect(groups.heartbeat(leader)).toBe(code('REBALANCE_IN_PROGRESS'))
  expect(groups.heartbeat(follower)).toBe(code('UNKNOWN_MEMBER_ID'))
  const again = await groups.join({ memberId: leader.memberId })
  expect(again).toMatchObject({ errorCode: 0, generationId: leader.generationId + 1, members: [{}] })
})

it('a heartbeat of a wrong generation, of a stranger or of no group is refused', async () => {
  const { groups, leader } = await pair()
  expect(groups.heartbeat({ ...leader, generationId: 1 })).toBe(code('ILLEGAL_GENERATION'))
  expect(groups.heartbeat({ ...leader, memberId: 'm' })).toBe(code('UNKNOWN_MEMBER_ID'))
  const beat = { memberId: leader.memberId, groupInstanceId: null, generationId: 2 }
  expect(groups.coordinator.heartbeat({ ...beat, groupId: 'h' })).toBe(code('UNKNOWN_MEMBER_ID'))
  expect(groups.coordinator.heartbeat({ ...beat, groupId: '' })).toBe(code('INVALID_GROUP_ID'))
})

it('a member that waits for the others needs no heartbeat', async () => {
  const { groups, leader, follower } = await pair()
  const waiting = groups.join({ memberId: leader.memberId })
  for (let i = 0; i < 4; i++) {
    vi.advanceTimersByTime(9_000)
    expect(groups.heartbeat(follower)).toBe(code('REBALANCE_IN_PROGRESS'))
  }
  await groups.join({ memberId: follower.memberId })
  expect(await waiting).toMatchObject({ errorCode: 0, leader: leader.memberId })
})

it('a member that waited for a slow leader has its session from then on', async () => {
  const groups = await TestGroups.start()
  const alone = await groups.join()
  const second = groups.join()
  const leader = await groups.join({ memberId: alone.memberId })
  const follower = await second
  const waiting = groups.sync(follower)
  for (let i = 0; i < 4; i++) {
    vi.advanceTimersByTime(9_000)
    expect(groups.heartbeat(leader)).toBe(0)
  }
  await groups.sync(leader)
  expect(await waiting).toMatchObject({ errorCode: 0 })
  vi.advanceTimersByTime(9_999)
  expect(groups.heartbeat(leader)).toBe(0)
  vi.advanceTimersByTime(1)
  expect(groups.heartbeat(leader)).toBe(code('REBALANCE_IN_PROGRESS'))
  expect(groups.heartbeat(follower)).toBe(code('UNKNOWN_MEMBER_ID'))
})

it('where all sessions end, the group is empty and goes on counting generations', async () => {
  const { groups, leader } = await pair()
  vi.advanceTimersByTime(10_000)
  expect(groups.state).toBe('Empty')
  const next = await groups.join({ protocolType: 'other', protocols: [{ name: 'p', metadata: Buffer.alloc(0) }] })
  expect(next).toMatchObject({ generationId: leader.generationId + 2, protocolType: 'other', protocolName: 'p' })
})

it('a member that leaves is missed at once; the last one leaves an empty group', async () => {
  const { groups, leader, follower } = await pair()
  const leave = (memberId: string) =>
    groups.coordinator.leave({ groupId: 'g', members: [{ memberId, groupInstanceId: null, reason: 'done' }] })
  expect(leave(leader.memberId)).toEqual({
    errorCode: 0,
    members: [{ memberId: leader.memberId, groupInstanceId: null, errorCode: 0 }],
  })
  const again = await groups.join({ memberId: follower.memberId })
  expect(again).toMatchObject({ errorCode: 0, leader: follower.memberId })
  leave(follower.memberId)
  expect(groups.state).toBe('Empty')
  expect(leave(follower.memberId).members).toMatchObject([{ errorCode: code('UNKNOWN_MEMBER_ID') }])
})

it('a member that leaves while others wait to join lets them go on', async () => {
  const { groups, leader, follower } = await pair()
  const waiting = groups.join({ memberId: leader.memberId })
  groups.coordinator.leave({
    groupId: 'g',
    members: [{ memberId: follower.memberId, groupInstanceId: null, reason: null }],
  })
  expect(await waiting).toMatchObject({ errorCode: 0, members: [{ memberId: leader.memberId }] })
})

it('a member that is sent away while it waits is told', async () => {
  const { groups, leader } = await pair()
  const waiting = groups.join({ memberId: leader.memberId })
  const members = [{ memberId: leader.memberId, groupInstanceId: null, reason: null }]
  groups.coordinator.leave({ groupId: 'g', members })
  expect(await waiting).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID'), memberId: '' })
})

it('an id that was given out can be given back', async () => {
  const groups = await TestGroups.start()
  const [first] = await groups.stableGroup(1)
  const { memberId } = await groups.join({ requireKnownMemberId: true })
  const rebalance = groups.join({ memberId: first?.memberId ?? '' })
  groups.coordinator.leave({ groupId: 'g', members: [{ memberId, groupInstanceId: null, reason: null }] })
  expect(await rebalance).toMatchObject({ errorCode: 0, members: [{}] })
  expect(await groups.join({ memberId })).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID') })
})

it('leaving a group without a name, or one that is not there', async () => {
  const groups = await TestGroups.start()
  const members = [{ memberId: 'm', groupInstanceId: null, reason: null }]
  expect(groups.coordinator.leave({ groupId: '', members })).toEqual({
    errorCode: code('INVALID_GROUP_ID'),
    members: [],
  })
  expect(groups.coordinator.leave({ groupId: 'g', members })).toEqual({
    errorCode: 0,
    members: [{ memberId: 'm', groupInstanceId: null, errorCode: code('UNKNOWN_MEMBER_ID') }],
  })
  expect(groups.coordinator.admin.list()).toEqual([])
})

it('a stop answers all that wait and begins nothing new', async () => {
  const { groups, leader, follower } = await pair()
  const joining = groups.join({ memberId: leader.memberId })
  groups.coordinator.close()
  expect(await joining).toMatchObject({ errorCode: code('NOT_COORDINATOR'), memberId: leader.memberId })
  expect(await groups.join()).toMatchObject({ errorCode: code('COORDINATOR_NOT_AVAILABLE') })
  expect(await groups.sync(follower)).toMatchObject({ errorCode: code('COORDINATOR_NOT_AVAILABLE') })
  expect(groups.heartbeat(follower)).toBe(code('COORDINATOR_NOT_AVAILABLE'))
  expect(vi.getTimerCount()).toBe(0)
})

it('where an assignment cannot be written, nobody gets it and all join again', async () => {
  const groups = await TestGroups.start()
  const alone = await groups.join()
  const second = groups.join()
  const leader = await groups.join({ memberId: alone.memberId })
  const waiting = groups.sync(await second)
  await groups.log.close()
  const failed = { errorCode: code('COORDINATOR_NOT_AVAILABLE'), assignment: Buffer.alloc(0) }
  expect(await groups.sync(leader, { [leader.memberId]: 'x' })).toMatchObject(failed)
  expect(await waiting).toMatchObject(failed)
  expect(groups.state).toBe('PreparingRebalance')
})
