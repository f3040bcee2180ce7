import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import type { JoinRequest, JoinResult } from '../../../src/group/group-messages.js'
import { subscription, TestGroups } from '../../support/groups.js'

const code = (name: keyof typeof KAFKA_ERRORS): number => KAFKA_ERRORS[name].wire

/** A stable group of two static members, `a` leads. */
async function pair(
  timeouts: Partial<JoinRequest> = {},
): Promise<{ groups: TestGroups; a: JoinResult; b: JoinResult }> {
  const groups = await TestGroups.start()
  const alone = await groups.join({ ...timeouts, groupInstanceId: 'a', requireKnownMemberId: true })
  const second = groups.join({ ...timeouts, groupInstanceId: 'b', requireKnownMemberId: true })
  const a = await groups.join({ ...timeouts, groupInstanceId: 'a', memberId: alone.memberId })
  const b = await second
  await groups.assign([a, b])
  return { groups, a, b }
}

it('a static member is in at once, under an id made of its instance', async () => {
  const { a, b } = await pair()
  expect(a.memberId).toMatch(/^a-[0-9a-f-]{36}$/)
  expect(b.memberId).toMatch(/^b-/)
  expect(a.members.map(({ groupInstanceId }) => groupInstanceId).sort()).toEqual(['a', 'b'])
})

it('one that starts anew gets what it had, without a rebalance; its former self is fenced', async () => {
  const { groups, a, b } = await pair()
  const again = await groups.join({ groupInstanceId: 'b' })
  expect(again).toMatchObject({
    errorCode: 0,
    generationId: b.generationId,
    leader: a.memberId,
    skipAssignment: false,
    members: [],
  })
  expect(again.memberId).not.toBe(b.memberId)
  expect(groups.state).toBe('Stable')
  expect((await groups.sync(again)).assignment.toString()).toBe('1')
  expect(groups.heartbeat(a)).toBe(0)
  expect(groups.heartbeat(again, 'b')).toBe(0)
  expect(groups.heartbeat(b, 'b')).toBe(code('FENCED_INSTANCE_ID'))
  expect(groups.heartbeat(b)).toBe(code('UNKNOWN_MEMBER_ID'))
})

it('a leader that starts anew is told not to assign; one that does not understand that, that another leads', async () => {
  const { groups, a } = await pair()
  const again = await groups.join({ groupInstanceId: 'a' })
  expect(again).toMatchObject({ errorCode: 0, leader: again.memberId, skipAssignment: true })
  expect(again.members).toHaveLength(2)
  const old = await groups.join({ groupInstanceId: 'a', supportsSkippingAssignment: false })
  expect(old).toMatchObject({ errorCode: 0, leader: again.memberId, skipAssignment: false, members: [] })
  expect(old.memberId).not.toBe(again.memberId)
  expect(a.generationId).toBe(old.generationId)
})

it('its session goes on while it is away: who comes back too late is new', async () => {
  const { groups, a, b } = await pair()
  vi.advanceTimersByTime(9_999)
  groups.heartbeat(a, 'a')
  vi.advanceTimersByTime(1)
  expect(groups.heartbeat(a, 'a')).toBe(code('REBALANCE_IN_PROGRESS'))
  const back = groups.join({ groupInstanceId: 'b' })
  await groups.join({ groupInstanceId: 'a', memberId: a.memberId })
  expect(await back).toMatchObject({ errorCode: 0, generationId: b.generationId + 1 })
})

it('one that comes back saying something new is a change only where it changes the protocol', async () => {
  const groups = await TestGroups.start()
  const protocols = (...names: string[]) => names.map((name) => ({ name, metadata: subscription('t') }))
  const alone = await groups.join({ groupInstanceId: 'a', protocols: protocols('x', 'y') })
  const second = groups.join({ groupInstanceId: 'b', protocols: protocols('x', 'y') })
  const a = await groups.join({ groupInstanceId: 'a', memberId: alone.memberId, protocols: protocols('x', 'y') })
  await groups.assign([a, await second])
  const same = await groups.join({ groupInstanceId: 'b', protocols: protocols('x') })
  expect(same).toMatchObject({ generationId: a.generationId, protocolName: 'x' })
  const other = groups.join({ groupInstanceId: 'b', protocols: protocols('x') })
  expect(await other).toMatchObject({ generationId: a.generationId })
  const changed = groups.join({ groupInstanceId: 'a', protocols: protocols('z', 'x') })
  expect(await changed).toMatchObject({ errorCode: 0, generationId: a.generationId })
})

it('one that comes back and so changes the protocol begins a rebalance', async () => {
  const groups = await TestGroups.start()
  const protocols = (...names: string[]) => names.map((name) => ({ name, metadata: subscription('t') }))
  const alone = await groups.join({ groupInstanceId: 'a', protocols: protocols('x', 'y') })
  const second = groups.join({ groupInstanceId: 'b', protocols: protocols('x', 'y') })
  const a = await groups.join({ groupInstanceId: 'a', memberId: alone.memberId, protocols: protocols('x', 'y') })
  await groups.assign([a, await second])
  const back = groups.join({ groupInstanceId: 'b', protocols: protocols('y') })
  expect(groups.heartbeat(a, 'a')).toBe(code('REBALANCE_IN_PROGRESS'))
  await groups.join({ groupInstanceId: 'a', memberId: a.memberId, protocols: protocols('x', 'y') })
  expect(await back).toMatchObject({ errorCode: 0, generationId: a.generationId + 1, protocolName: 'y' })
})

it('one that comes back while another joins is in the generation that begins', async () => {
  const { groups, a, b } = await pair()
  const back = groups.join({ groupInstanceId: 'b' })
  const joining = groups.join()
  // What is written of it is on the disk before the others have joined.
  await turn()
  await groups.join({ groupInstanceId: 'a', memberId: a.memberId })
  expect(await back).toMatchObject({ errorCode: 0, generationId: b.generationId + 1 })
  expect(await joining).toMatchObject({ errorCode: 0, generationId: b.generationId + 1 })
})

it('one that comes back before it has asked for its assignment may ask later, under its new id', async () => {
  const groups = await TestGroups.start()
  const long = { sessionTimeoutMs: 1_800_000 }
  const alone = await groups.join({ ...long, groupInstanceId: 'a' })
  const second = groups.join({ ...long, groupInstanceId: 'b' })
  const a = await groups.join({ ...long, groupInstanceId: 'a', memberId: alone.memberId })
  const b = await second
  await groups.sync(a, { [b.memberId]: 'share' })
  const back = await groups.join({ ...long, groupInstanceId: 'b' })
  expect((await groups.sync(back)).assignment.toString()).toBe('share')
  vi.advanceTimersByTime(60_000)
  expect(groups.state).toBe('Stable')
})

it('one that comes back while its former self still waits takes its place', async () => {
  const { groups, a, b } = await pair()
  const waiting = groups.join({ groupInstanceId: 'a', memberId: a.memberId })
  expect(groups.state).toBe('PreparingRebalance')
  const back = groups.join({ groupInstanceId: 'a' })
  expect(await waiting).toMatchObject({ errorCode: code('FENCED_INSTANCE_ID'), memberId: a.memberId })
  await groups.join({ groupInstanceId: 'b', memberId: b.memberId })
  expect(await back).toMatchObject({ errorCode: 0, generationId: a.generationId + 1 })
})

it('one that comes back before the assignment is there has all join again', async () => {
  const groups = await TestGroups.start()
  const a = await groups.join({ groupInstanceId: 'a' })
  const waiting = groups.join({ groupInstanceId: 'a' })
  expect(await waiting).toMatchObject({ errorCode: 0, generationId: a.generationId + 1 })
  expect(await groups.sync(a)).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID') })
})

it('a static member that does not join keeps its place while its session lasts', async () => {
  const timeouts = { rebalanceTimeoutMs: 6_000, sessionTimeoutMs: 100_000 }
  const { groups, a, b } = await pair(timeouts)
  const rebalance = groups.join({ ...timeouts, groupInstanceId: 'a', memberId: a.memberId })
  vi.advanceTimersByTime(6_000)
  const again = await rebalance
  expect(again.members.map(({ memberId }) => memberId).sort()).toEqual([a.memberId, b.memberId])
  await groups.assign([again, { ...b, generationId: again.generationId }])
  expect(groups.state).toBe('Stable')
})

it('a join under an instance that another member id has is fenced, one of an unknown instance refused', async () => {
  const { groups, a, b } = await pair()
  const fenced = await groups.join({ groupInstanceId: 'a', memberId: b.memberId })
  expect(fenced).toMatchObject({ errorCode: code('FENCED_INSTANCE_ID'), memberId: b.memberId })
  const unknown = await groups.join({ groupInstanceId: 'z', memberId: a.memberId })
  expect(unknown).toMatchObject({ errorCode: code('UNKNOWN_MEMBER_ID') })
})

it('an administrator sends static members away by their instances', async () => {
  const { groups, a, b } = await pair()
  const leaving = (groupInstanceId: string | null, memberId = '') => ({ memberId, groupInstanceId, reason: null })
  const { members } = groups.coordinator.leave({
    groupId: 'g',
    members: [leaving('b'), leaving('z'), leaving(null), leaving('a', b.memberId)],
  })
  expect(members.map(({ errorCode }) => errorCode)).toEqual([
    0,
    code('UNKNOWN_MEMBER_ID'),
    code('UNKNOWN_MEMBER_ID'),
    code('FENCED_INSTANCE_ID'),
  ])
  expect(members[0]).toEqual({ memberId: '', groupInstanceId: 'b', errorCode: 0 })
  expect(await groups.join({ groupInstanceId: 'a', memberId: a.memberId })).toMatchObject({
    errorCode: 0,
    members: [{ groupInstanceId: 'a' }],
  })
})

it('where its return cannot be written, its former self stays in', async () => {
  const { groups, b } = await pair()
  await groups.log.close()
  const refused = await groups.join({ groupInstanceId: 'b' })
  expect(refused).toMatchObject({ errorCode: code('COORDINATOR_NOT_AVAILABLE') })
  expect(groups.heartbeat(b, 'b')).toBe(0)
  expect((await groups.sync(b)).assignment.toString()).toBe('1')
})
