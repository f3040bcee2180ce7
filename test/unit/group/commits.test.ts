import { expect, it, vi } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import type { CommitRequest, JoinResult } from '../../../src/group/group-messages.js'
import { readRecords } from '../../../src/log/log-records.js'
import { subscription, TestGroups } from '../../support/groups.js'

const code = (name: keyof typeof KAFKA_ERRORS): number => KAFKA_ERRORS[name].wire
const DAY_MS = 24 * 3_600_000

const at = (offset: number, topic = 't', metadata = '') => ({ topic, partition: 0, offset, leaderEpoch: -1, metadata })

async function commit(groups: TestGroups, request: Partial<CommitRequest> = {}): Promise<number[]> {
  const outside = { groupId: 'g', memberId: '', groupInstanceId: null, generationId: -1 }
  return await groups.coordinator.commit({ ...outside, offsets: [at(5)], ...request })
}

const offsetOf = (groups: TestGroups, topic = 't'): number | undefined =>
  groups.coordinator.offsets.committed('g', topic, 0)?.offset

it('members of the present generation commit, once they have their assignment', async () => {
  const groups = await TestGroups.start()
  const joined = await groups.join()
  const { memberId, generationId } = joined
  expect(await commit(groups, { memberId, generationId })).toEqual([code('REBALANCE_IN_PROGRESS')])
  await groups.assign([joined])
  expect(await commit(groups, { memberId, generationId, offsets: [at(1), at(2, 'u')] })).toEqual([0, 0])
  expect([offsetOf(groups), offsetOf(groups, 'u')]).toEqual([1, 2])
  expect(await commit(groups, { memberId, generationId: 7 })).toEqual([code('ILLEGAL_GENERATION')])
  expect(await commit(groups, { memberId: 'm', generationId })).toEqual([code('UNKNOWN_MEMBER_ID')])
  expect(await commit(groups, { memberId, generationId, groupInstanceId: 'i' })).toEqual([code('UNKNOWN_MEMBER_ID')])
  expect(offsetOf(groups)).toBe(1)
  // While the others are waited for, what was read can still be committed.
  const other = groups.join()
  expect(groups.state).toBe('PreparingRebalance')
  expect(await commit(groups, { memberId, generationId, offsets: [at(3)] })).toEqual([0])
  await groups.join({ memberId })
  await other
})

it('a commit keeps the session', async () => {
  const groups = await TestGroups.start()
  const [member] = (await groups.stableGroup(1)) as [JoinResult]
  const { memberId, generationId } = member
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(9_000)
    expect(await commit(groups, { memberId, generationId })).toEqual([0])
  }
  expect(groups.heartbeat(member)).toBe(0)
})

it('from outside, only while there are no members', async () => {
  const groups = await TestGroups.start()
  expect(await commit(groups)).toEqual([0])
  expect(groups.coordinator.admin.list()).toEqual([{ groupId: 'g', protocolType: '', state: 'Empty', type: 'classic' }])
  const [member] = (await groups.stableGroup(1)) as [JoinResult]
  expect(await commit(groups, { offsets: [at(9)] })).toEqual([code('UNKNOWN_MEMBER_ID')])
  const members = [{ memberId: member.memberId, groupInstanceId: null, reason: null }]
  groups.coordinator.leave({ groupId: 'g', members })
  expect(await commit(groups, { offsets: [at(9)] })).toEqual([0])
  expect(offsetOf(groups)).toBe(9)
  const { memberId, generationId } = member
  expect(await commit(groups, { memberId, generationId })).toEqual([code('UNKNOWN_MEMBER_ID')])
})

it('a group that is not there begins with a commit, but not of a generation', async () => {
  const groups = await TestGroups.start()
  expect(await commit(groups, { generationId: 1, memberId: 'm' })).toEqual([code('GROUP_ID_NOT_FOUND')])
  expect(groups.coordinator.admin.list()).toEqual([])
})

it('offset.metadata.max.bytes: a longer text is refused, the other offsets are committed, all in one append', async () => {
  const groups = await TestGroups.start({ offsetMetadataMaxBytes: 3 })
  const offsets = [at(1, 't', 'abc'), at(2, 'u', 'abcd'), at(3, 'v', 'äöü')]
  expect(await commit(groups, { offsets })).toEqual([0, code('OFFSET_METADATA_TOO_LARGE'), 0])
  expect((await readRecords(groups.log, 0, 1 << 20)).map(({ timestamp }) => timestamp)).toEqual([
    Date.now(),
    Date.now(),
  ])
  expect([offsetOf(groups), offsetOf(groups, 'u'), offsetOf(groups, 'v')]).toEqual([1, undefined, 3])
})

it('what cannot be written is not committed, and the caller hears of it', async () => {
  const groups = await TestGroups.start()
  await expect(commit(groups, { offsets: [at(1, 'gone')] })).rejects.toMatchObject({
    code: 'UNKNOWN_TOPIC_OR_PARTITION',
  })
  await expect(commit(groups, { groupId: '' })).rejects.toMatchObject({ code: 'INVALID_GROUP_ID' })
})

it('offsets of a group that nobody ever joined expire from their commits on, and with the last one the group', async () => {
  const groups = await TestGroups.start()
  await commit(groups, { offsets: [at(1)] })
  vi.setSystemTime(Date.now() + 3 * DAY_MS)
  await commit(groups, { offsets: [at(2, 'u')] })
  vi.setSystemTime(Date.now() + 4 * DAY_MS)
  await groups.coordinator.admin.expireOffsets()
  expect([offsetOf(groups), offsetOf(groups, 'u')]).toEqual([undefined, 2])
  vi.setSystemTime(Date.now() + 3 * DAY_MS)
  await groups.coordinator.admin.expireOffsets()
  expect(groups.coordinator.admin.list()).toEqual([])
  await groups.restart()
  expect(groups.coordinator.admin.list()).toEqual([])
  expect(groups.logger.messages('info')).toContain('loaded 2 commits (0 unique keys)')
})

it('offsets of a group whose members have gone expire from then on', async () => {
  const groups = await TestGroups.start()
  const [member] = (await groups.stableGroup(1)) as [JoinResult]
  const { memberId, generationId } = member
  await commit(groups, { memberId, generationId })
  vi.setSystemTime(Date.now() + 30 * DAY_MS)
  groups.coordinator.leave({ groupId: 'g', members: [{ memberId, groupInstanceId: null, reason: null }] })
  vi.setSystemTime(Date.now() + 7 * DAY_MS - 1)
  await groups.coordinator.admin.expireOffsets()
  expect(offsetOf(groups)).toBe(5)
  await groups.restart()
  vi.setSystemTime(Date.now() + 1)
  await groups.coordinator.admin.expireOffsets()
  expect(offsetOf(groups)).toBeUndefined()
  expect(groups.coordinator.admin.list()).toEqual([])
})

it('offsets of a group with members expire for topics that none of them reads any more', async () => {
  const groups = await TestGroups.start()
  const [member] = (await groups.stableGroup(1, {
    protocols: [{ name: 'range', metadata: subscription('t', 'v') }],
  })) as [JoinResult]
  const { memberId, generationId } = member
  await commit(groups, { memberId, generationId, offsets: [at(1), at(2, 'u'), at(3, 'v')] })
  vi.setSystemTime(Date.now() + 8 * DAY_MS)
  await groups.coordinator.admin.expireOffsets()
  expect([offsetOf(groups), offsetOf(groups, 'u'), offsetOf(groups, 'v')]).toEqual([1, undefined, 3])
})

it.each([
  ['of another kind', 'connect', subscription('t')],
  ['whose subscriptions cannot be read', 'consumer', Buffer.from([0, 0, 0, 0, 0, 1, 0])],
])('offsets of a group with members %s stay', async (_, protocolType, metadata) => {
  const groups = await TestGroups.start()
  const [member] = (await groups.stableGroup(1, { protocolType, protocols: [{ name: 'p', metadata }] })) as [JoinResult]
  const { memberId, generationId } = member
  await commit(groups, { memberId, generationId, offsets: [at(1, 'u')] })
  vi.setSystemTime(Date.now() + 8 * DAY_MS)
  await groups.coordinator.admin.expireOffsets()
  expect(offsetOf(groups, 'u')).toBe(1)
})

it('offsets.retention.check.interval.ms: it is looked after by itself', async () => {
  const groups = await TestGroups.start({ offsetsRetentionMs: 1_000, offsetsRetentionCheckIntervalMs: 5_000 })
  await commit(groups)
  vi.advanceTimersByTime(5_000)
  await vi.waitUntil(() => groups.coordinator.admin.list().length === 0)
  expect(offsetOf(groups)).toBeUndefined()
})

it('an id that was given out keeps its group', async () => {
  const groups = await TestGroups.start()
  const { memberId } = await groups.join({ requireKnownMemberId: true })
  await groups.coordinator.admin.expireOffsets()
  expect(await groups.join({ memberId })).toMatchObject({ errorCode: 0 })
})

it('offsets are deleted but for topics that members read', async () => {
  const groups = await TestGroups.start()
  const { admin } = groups.coordinator
  const remove = (topic: string) => admin.deleteOffsets('g', [{ topic, partition: 0 }])
  expect(await remove('t')).toEqual({ errorCode: code('GROUP_ID_NOT_FOUND'), partitions: [] })
  const [member] = (await groups.stableGroup(1)) as [JoinResult]
  const { memberId, generationId } = member
  await commit(groups, { memberId, generationId, offsets: [at(1), at(2, 'u')] })
  expect(await remove('t')).toEqual({ errorCode: 0, partitions: [code('GROUP_SUBSCRIBED_TO_TOPIC')] })
  expect(await remove('u')).toEqual({ errorCode: 0, partitions: [0] })
  expect([offsetOf(groups), offsetOf(groups, 'u')]).toEqual([1, undefined])
  groups.coordinator.leave({ groupId: 'g', members: [{ memberId, groupInstanceId: null, reason: null }] })
  expect(await remove('t')).toEqual({ errorCode: 0, partitions: [0] })
  expect(offsetOf(groups)).toBeUndefined()
})

it('offsets of members of another kind are not deleted: nobody knows what they read', async () => {
  const groups = await TestGroups.start()
  await groups.stableGroup(1, { protocolType: 'connect' })
  expect(await groups.coordinator.admin.deleteOffsets('g', [{ topic: 't', partition: 0 }])).toEqual({
    errorCode: code('NON_EMPTY_GROUP'),
    partitions: [],
  })
})

it('a group without members can be deleted, and nothing of it comes back', async () => {
  const groups = await TestGroups.start()
  const [member] = (await groups.stableGroup(1)) as [JoinResult]
  const { memberId, generationId } = member
  await commit(groups, { memberId, generationId })
  const { admin } = groups.coordinator
  expect(await admin.delete('g')).toBe(code('NON_EMPTY_GROUP'))
  groups.coordinator.leave({ groupId: 'g', members: [{ memberId, groupInstanceId: null, reason: null }] })
  const underWay = commit(groups, { offsets: [at(7, 'u')] })
  expect(await admin.delete('g')).toBe(0)
  await underWay
  expect(await admin.delete('h')).toBe(code('GROUP_ID_NOT_FOUND'))
  // What was committed while it went begins it anew.
  expect(admin.describe('g')).toMatchObject({ state: 'Empty', protocolType: '' })
  expect(await admin.delete('g')).toBe(0)
  expect(admin.describe('g')).toMatchObject({ state: 'Dead' })
  await groups.restart()
  expect(groups.coordinator.admin.list()).toEqual([])
  expect(await groups.join()).toMatchObject({ generationId: 1 })
})

it('group.max.total.bytes: commits begin no more groups than there is memory for', async () => {
  const groups = await TestGroups.start({ maxTotalBytes: 1 << 20 })
  const codes: (number | undefined)[] = []
  for (let i = 0; i < 1200; i++) codes.push((await commit(groups, { groupId: `outsider-${i}` }))[0])
  expect(new Set(codes.slice(0, 900))).toEqual(new Set([0]))
  expect(new Set(codes.slice(1050))).toEqual(new Set([code('COORDINATOR_NOT_AVAILABLE')]))
  expect(groups.coordinator.offsets.groups()).not.toContain('outsider-1199')
  expect(await commit(groups, { groupId: 'outsider-0' })).toEqual([0])
})
