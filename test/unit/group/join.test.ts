import { expect, it, vi } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import type { JoinResult } from '../../../src/group/group-messages.js'
import { subscription, TestGroups } from '../../support/groups.js'

const code = (name: keyof typeof KAFKA_ERRORS): number => KAFKA_ERRORS[name].wire
const protocol = (name: string, said = 'x') => ({ name, metadata: Buffer.from(said) })

it('a new member is told its id first, where its version knows that, and joins with it', async () => {
  const groups = await TestGroups.start()
  const told = await groups.join({ requireKnownMemberId: true })
  expect(told).toMatchObject({ errorCode: code('MEMBER_ID_REQUIRED'), generationId: -1, members: [] })
  expect(told.memberId).toMatch(/^client-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(groups.state).toBe('Empty')
  const joined = await groups.join({ memberId: told.memberId, requireKnownMemberId: true })
  expect(joined).toEqual({
    errorCode: 0,
    memberId: told.memberId,
    generationId: 1,
    protocolType: 'consumer',
    protocolName: 'range',
    leader: told.memberId,
    skipAssignment: false,
    members: [{ memberId: told.memberId, groupInstanceId: null, metadata: subscription('t') }],
  })
  expect(groups.state).toBe('CompletingRebalance')
})

it('a new member of an old version is in at once', async () => {
  const groups = await TestGroups.start()
  expect(await groups.join()).toMatchObject({ errorCode: 0, generationId: 1 })
})

it('an id that nobody joins with is void when the session would have ended', async () => {
  const groups = await TestGroups.start()
  const { memberId } = await groups.join({ requireKnownMemberId: true })
  vi.advanceTimersByTime(9_999)
  const other = await groups.join({ requireKnownMemberId: true })
  vi.advanceTimersByTime(1)
  expect(await groups.join({ memberId })).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID'), memberId })
  expect(await groups.join({ memberId: other.memberId })).toMatchObject({ errorCode: 0 })
})

it('a rebalance waits for ids that were given out, but not for longer than their sessions', async () => {
  const groups = await TestGroups.start()
  const [first] = await groups.stableGroup(1)
  await groups.join({ requireKnownMemberId: true })
  const second = groups.join()
  const again = groups.join({ memberId: first?.memberId ?? '' })
  vi.advanceTimersByTime(10_000)
  expect([await again, await second]).toMatchObject([{ generationId: 2 }, { generationId: 2 }])
})

it('members that come together are one generation, and the leader sees what each says', async () => {
  const groups = await TestGroups.start()
  const [leader, ...others] = await groups.stableGroup(3)
  expect(leader?.members.map(({ memberId }) => memberId).sort()).toEqual(
    [leader, ...others].map((member) => member?.memberId).sort(),
  )
  expect(others.map(({ members, leader: id }) => [members, id])).toEqual([
    [[], leader?.memberId],
    [[], leader?.memberId],
  ])
  expect(groups.state).toBe('Stable')
})

it('a member that joins sends the others back to join, and who does not is out when their time is up', async () => {
  const groups = await TestGroups.start()
  const [leader, late] = await groups.stableGroup(2, { sessionTimeoutMs: 1_800_000 })
  const joining = groups.join({ sessionTimeoutMs: 1_800_000 })
  expect(groups.state).toBe('PreparingRebalance')
  expect(groups.heartbeat(leader as never)).toBe(code('REBALANCE_IN_PROGRESS'))
  const again = groups.join({ memberId: leader?.memberId ?? '', sessionTimeoutMs: 1_800_000 })
  vi.advanceTimersByTime(60_000)
  expect(await again).toMatchObject({ errorCode: 0, leader: leader?.memberId })
  expect(await joining).toMatchObject({ errorCode: 0, generationId: (leader?.generationId ?? 0) + 1 })
  expect(groups.heartbeat(late as never)).toBe(code('UNKNOWN_MEMBER_ID'))
})

it('where the leader does not come back, another leads', async () => {
  const groups = await TestGroups.start()
  const [leader, other] = await groups.stableGroup(2)
  const again = groups.join({ memberId: other?.memberId ?? '', protocols: [protocol('range', 'new')] })
  vi.advanceTimersByTime(60_000)
  expect(await again).toMatchObject({ errorCode: 0, leader: other?.memberId, members: [{}] })
  expect(await groups.join({ memberId: leader?.memberId ?? '' })).toMatchObject({
    errorCode: code('UNKNOWN_MEMBER_ID'),
  })
})

it('a follower that joins again and says nothing new is answered at once; the leader begins a rebalance', async () => {
  const groups = await TestGroups.start()
  const [leader, follower] = await groups.stableGroup(2)
  const same = await groups.join({ memberId: follower?.memberId ?? '' })
  expect(same).toMatchObject({ errorCode: 0, generationId: follower?.generationId, members: [] })
  expect(groups.state).toBe('Stable')
  const rebalance = groups.join({ memberId: leader?.memberId ?? '' })
  expect(groups.state).toBe('PreparingRebalance')
  await groups.join({ memberId: follower?.memberId ?? '' })
  expect(await rebalance).toMatchObject({ generationId: (leader?.generationId ?? 0) + 1 })
})

it('a member that missed the answer to its join gets it again', async () => {
  const groups = await TestGroups.start()
  const joined = await groups.join()
  expect(await groups.join({ memberId: joined.memberId })).toEqual(joined)
})

it('a member that asks again while it waits is answered twice', async () => {
  const groups = await TestGroups.start()
  const [first] = await groups.stableGroup(1)
  const { memberId } = await groups.join({ requireKnownMemberId: true })
  const twice = [groups.join({ memberId }), groups.join({ memberId })]
  await groups.join({ memberId: first?.memberId ?? '' })
  const [one, two] = await Promise.all(twice)
  expect(one).toMatchObject({ errorCode: 0, generationId: 2 })
  expect(two).toEqual(one)
})

it('a new member whose join waits for more than five minutes is out', async () => {
  const groups = await TestGroups.start()
  const [first] = await groups.stableGroup(1, { sessionTimeoutMs: 1_800_000, rebalanceTimeoutMs: 1_000_000 })
  const waiting = groups.join({ rebalanceTimeoutMs: 1_000_000 })
  vi.advanceTimersByTime(5 * 60_000)
  expect(await waiting).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID'), memberId: '' })
  expect(groups.heartbeat(first as never)).toBe(code('REBALANCE_IN_PROGRESS'))
})

it('refuses session timeouts out of bounds, groups without a name and members that it does not know', async () => {
  const groups = await TestGroups.start()
  for (const sessionTimeoutMs of [5_999, 1_800_001, 0, -1]) {
    expect(await groups.join({ sessionTimeoutMs })).toMatchObject({ errorCode: code('INVALID_SESSION_TIMEOUT') })
  }
  for (const sessionTimeoutMs of [6_000, 1_800_000]) {
    expect(await groups.join({ groupId: `g${sessionTimeoutMs}`, sessionTimeoutMs })).toMatchObject({ errorCode: 0 })
  }
  expect(await groups.join({ groupId: '' })).toMatchObject({ errorCode: code('INVALID_GROUP_ID') })
  const unknown = { errorCode: code('UNKNOWN_MEMBER_ID'), memberId: 'm' }
  expect(await groups.join({ memberId: 'm' })).toMatchObject(unknown)
  await groups.stableGroup(1)
  expect(await groups.join({ memberId: 'm' })).toMatchObject(unknown)
})

it('a protocol is chosen that all know, by votes; who knows none of them is refused', async () => {
  const groups = await TestGroups.start()
  const [first] = await groups.stableGroup(1, { protocols: [protocol('a'), protocol('b'), protocol('c')] })
  expect(first).toMatchObject({ protocolName: 'a' })
  const refused = { errorCode: code('INCONSISTENT_GROUP_PROTOCOL'), memberId: '' }
  expect(await groups.join({ protocols: [protocol('d')] })).toMatchObject(refused)
  expect(await groups.join({ protocolType: 'connect', protocols: [protocol('a')] })).toMatchObject(refused)
  expect(groups.state).toBe('Stable')
  const joining = [
    groups.join({ protocols: [protocol('c'), protocol('b'), protocol('d')] }),
    groups.join({ protocols: [protocol('c'), protocol('b')] }),
    groups.join({ memberId: first?.memberId ?? '', protocols: [protocol('b', 'says b'), protocol('c', 'says c')] }),
  ]
  const [, , again] = await Promise.all(joining)
  expect(again).toMatchObject({ protocolName: 'c', leader: first?.memberId })
  expect(again?.members[0]?.metadata.toString()).toBe('says c')
})

it('the first member of a group must say a type and a protocol', async () => {
  const groups = await TestGroups.start()
  const refused = { errorCode: code('INCONSISTENT_GROUP_PROTOCOL') }
  expect(await groups.join({ protocols: [] })).toMatchObject(refused)
  expect(await groups.join({ protocolType: '' })).toMatchObject(refused)
})

it('group.max.size: more members are refused, those that are in may join again', async () => {
  const groups = await TestGroups.start({ maxSize: 2 })
  const [leader, other] = await groups.stableGroup(2)
  const full = { errorCode: code('GROUP_MAX_SIZE_REACHED'), memberId: '' }
  expect(await groups.join()).toMatchObject(full)
  const again = groups.join({ memberId: leader?.memberId ?? '' })
  await groups.join({ memberId: other?.memberId ?? '' })
  expect(await again).toMatchObject({ errorCode: 0 })
  expect(await groups.join()).toMatchObject(full)
})

const MEBIBYTE = 1 << 20
const saying = (bytes: number) => ({ protocols: [{ name: 'range', metadata: Buffer.alloc(bytes) }] })

it('group.max.total.bytes: more may not join, those that are in go on, and it is said once', async () => {
  const groups = await TestGroups.start({ maxTotalBytes: 4 * MEBIBYTE })
  const [member] = (await groups.stableGroup(1, saying(MEBIBYTE))) as [JoinResult]
  const codes: number[] = []
  for (let i = 0; i < 20; i++) {
    codes.push((await groups.join({ groupId: `other-${i}`, ...saying(MEBIBYTE) })).errorCode)
  }
  expect(codes.slice(0, 2)).toEqual([0, 0])
  expect(new Set(codes.slice(4))).toEqual(new Set([code('COORDINATOR_NOT_AVAILABLE')]))
  expect(groups.heartbeat(member)).toBe(0)
  expect(await groups.join({ memberId: member.memberId, ...saying(MEBIBYTE) })).toMatchObject({ errorCode: 0 })
  expect(groups.logger.messages('warn')).toHaveLength(1)
  // Members that go make room.
  const [gone] = groups.coordinator.admin.describe('other-0').members
  const leaving = { memberId: gone?.memberId ?? '', groupInstanceId: null, reason: null }
  groups.coordinator.leave({ groupId: 'other-0', members: [leaving] })
  expect(await groups.join({ groupId: 'another', ...saying(MEBIBYTE) })).toMatchObject({ errorCode: 0 })
})

it('ids that nobody joins with do not keep members out, and what is refused leaves no group', async () => {
  const groups = await TestGroups.start({ maxTotalBytes: MEBIBYTE })
  for (let i = 0; i < 5000; i++) await groups.join({ groupId: `made-up-${i}`, requireKnownMemberId: true })
  vi.advanceTimersByTime(1_001)
  expect(await groups.join()).toMatchObject({ errorCode: 0 })
  await groups.join({ groupId: 'refused', protocolType: '' })
  expect(groups.coordinator.admin.list().map(({ groupId }) => groupId)).not.toContain('refused')
})

it('one group takes a part of the memory only', async () => {
  const groups = await TestGroups.start()
  expect(await groups.join(saying(17 * MEBIBYTE))).toMatchObject({ errorCode: code('COORDINATOR_NOT_AVAILABLE') })
  expect(await groups.join(saying(15 * MEBIBYTE))).toMatchObject({ errorCode: 0 })
})

it('group.initial.rebalance.delay.ms: an empty group waits, and once more as long as members come', async () => {
  const groups = await TestGroups.start({ initialRebalanceDelayMs: 3_000 })
  const answered: number[] = []
  const join = (): void => void groups.join().then(({ generationId }) => answered.push(generationId))
  join()
  vi.advanceTimersByTime(2_000)
  join()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(answered).toEqual([])
  await vi.advanceTimersByTimeAsync(3_000)
  expect(answered).toEqual([1, 1])
})

it('the initial delay does not go beyond the rebalance timeout', async () => {
  const groups = await TestGroups.start({ initialRebalanceDelayMs: 3_000 })
  const first = groups.join({ rebalanceTimeoutMs: 4_000 })
  for (let i = 0; i < 4; i++) {
    void groups.join({ rebalanceTimeoutMs: 4_000 })
    vi.advanceTimersByTime(1_000)
  }
  expect(await first).toMatchObject({ errorCode: 0, generationId: 1 })
  expect((await first).members).toHaveLength(5)
})

it('joins that the bytes of a request outlive are kept whole', async () => {
  const groups = await TestGroups.start()
  const metadata = subscription('t')
  const joined = groups.join({ protocols: [{ name: 'range', metadata }] })
  metadata.fill(0xff)
  expect((await groups.join({ memberId: (await joined).memberId })).members[0]?.metadata).toEqual(subscription('t'))
})
