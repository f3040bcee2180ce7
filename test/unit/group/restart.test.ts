import { expect, it, vi } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import type { JoinResult } from '../../../src/group/group-messages.js'
import { readRecords } from '../../../src/log/log-records.js'
import { subscription, TestGroups } from '../../support/groups.js'

const code = (name: keyof typeof KAFKA_ERRORS): number => KAFKA_ERRORS[name].wire
const hex = (...parts: (string | Buffer)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.toString('hex'))).join('')
const text = (value: string): string => hex(Buffer.from([0, value.length]), Buffer.from(value))

it('a group is in the log as docs/disk-format.md says', async () => {
  const groups = await TestGroups.start()
  vi.setSystemTime(0x0102030405)
  const member = await groups.join({ groupInstanceId: 'i', sessionTimeoutMs: 10_001, rebalanceTimeoutMs: 60_001 })
  await groups.assign([member])
  const [record] = await readRecords(groups.log, 0, 1 << 20)
  expect(record?.key?.toString('hex')).toBe(hex('ffff', text('g')))
  expect(record?.value?.toString('hex')).toBe(
    hex(
      '0003',
      text('consumer'),
      '00000001',
      text('range'),
      text(member.memberId),
      '0000000102030405',
      '00000001',
      text(member.memberId),
      text('i'),
      text('client'),
      text('/127.0.0.1'),
      '0000ea61',
      '00002711',
      hex('0000000d', subscription('t')),
      hex('00000001', Buffer.from('0')),
    ),
  )
})

it('a stable group goes on: members keep their generation, and their sessions start anew', async () => {
  const groups = await TestGroups.start()
  const [leader, follower] = (await groups.stableGroup(2)) as [JoinResult, JoinResult]
  const before = groups.coordinator.admin.describe('g')
  await groups.restart()
  expect(groups.coordinator.admin.describe('g')).toEqual(before)
  vi.advanceTimersByTime(9_000)
  expect(groups.heartbeat(leader)).toBe(0)
  expect((await groups.sync(follower)).assignment.toString()).toBe('1')
  vi.advanceTimersByTime(1_000)
  // The follower has not been heard of.
  expect(groups.heartbeat(leader)).toBe(code('REBALANCE_IN_PROGRESS'))
  const again = await groups.join({ memberId: leader.memberId })
  expect(again).toMatchObject({ generationId: leader.generationId + 1, members: [{}] })
})

it('members that never came back leave an empty group that counts on', async () => {
  const groups = await TestGroups.start()
  const [leader] = (await groups.stableGroup(2)) as [JoinResult, JoinResult]
  await groups.restart()
  vi.advanceTimersByTime(10_000)
  expect(groups.state).toBe('Empty')
  await groups.restart()
  expect(await groups.join()).toMatchObject({ generationId: leader.generationId + 2 })
})

it('a static member that comes back behind a restart gets what it had', async () => {
  const groups = await TestGroups.start()
  const member = await groups.join({ groupInstanceId: 'i' })
  await groups.assign([member])
  await groups.restart()
  const again = await groups.join({ groupInstanceId: 'i' })
  expect(again).toMatchObject({ errorCode: 0, generationId: 1, skipAssignment: true })
  expect((await groups.sync(again)).assignment.toString()).toBe('0')
  await groups.restart()
  expect(groups.heartbeat(again, 'i')).toBe(0)
  expect(groups.heartbeat(member, 'i')).toBe(code('FENCED_INSTANCE_ID'))
})

it('a rebalance that the restart broke off begins anew: the last stable generation is back', async () => {
  const groups = await TestGroups.start()
  const [leader, follower] = (await groups.stableGroup(2)) as [JoinResult, JoinResult]
  const broken = groups.join({ memberId: leader.memberId })
  await groups.restart()
  expect(await broken).toMatchObject({ errorCode: code('NOT_COORDINATOR'), memberId: leader.memberId })
  expect(groups.state).toBe('Stable')
  const rebalance = groups.join({ memberId: leader.memberId })
  await groups.join({ memberId: follower.memberId })
  expect(await rebalance).toMatchObject({ errorCode: 0, generationId: leader.generationId + 1 })
})

it('a group larger than group.max.size allows now has its members join again', async () => {
  const groups = await TestGroups.start()
  const [leader, follower] = (await groups.stableGroup(2)) as [JoinResult, JoinResult]
  await groups.restart({ maxSize: 1 })
  expect(groups.heartbeat(leader)).toBe(code('REBALANCE_IN_PROGRESS'))
  const first = groups.join({ memberId: leader.memberId })
  expect(await groups.join({ memberId: follower.memberId })).toMatchObject({
    errorCode: code('GROUP_MAX_SIZE_REACHED'),
  })
  expect(await first).toMatchObject({ errorCode: 0, members: [{}] })
})

it('what cannot be read of a group is reported and passed over', async () => {
  const groups = await TestGroups.start()
  for (const value of ['', '0003', '0009', '000300', '0003ffff00000001ffffffff0000000000000000'].map((bytes) =>
    Buffer.from(bytes, 'hex'),
  )) {
    await groups.coordinator.offsets.writeGroup('g', value)
    await groups.restart()
    expect(groups.coordinator.admin.list()).toEqual([])
  }
  expect(groups.logger.messages('error')).toHaveLength(5)
})
