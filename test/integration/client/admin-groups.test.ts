import { describe, expect, it } from 'vitest'
import { Admin } from '../../../src/client/admin/admin.js'
import type { Transport } from '../../../src/client/transport.js'
import { CONNECTION_KINDS, type ConnectionKind, openedTransport } from '../../support/connected.js'
import { joinAlone } from '../../support/group-members.js'

/** Partition 0 of `t` has ten records, partition 1 three; the group `board` has read four of the first. */
async function start(kind: ConnectionKind): Promise<{ transport: Transport; admin: Admin }> {
  const transport = await openedTransport(kind)
  const admin = new Admin(transport)
  await admin.createTopic('t', { partitions: 2 })
  const client = await transport.client()
  await client.produce('t', Array(10).fill({ value: 'x' }), { partition: 0 })
  await client.produce('t', Array(3).fill({ value: 'x' }), { partition: 1 })
  await client.commitOffset('board', 't', 0, 4)
  return { transport, admin }
}

describe.each(CONNECTION_KINDS)('%s', (kind) => {
  it('a group that only commits is listed, described with its lag, and deleted', async () => {
    const { admin } = await start(kind)
    expect(await admin.listGroups()).toEqual([{ groupId: 'board', protocolType: '', state: 'Empty' }])
    expect(await admin.describeGroups(['board'])).toEqual([
      { groupId: 'board', protocolType: '', state: 'Empty', protocol: '', members: [] },
    ])
    const offsets = { topic: 't', partition: 0, committedOffset: 4, logStartOffset: 0, logEndOffset: 10, lag: 6 }
    expect((await admin.describeGroupLags())[0]?.partitions).toEqual([{ ...offsets, member: null }])
    await admin.deleteGroups(['board'])
    expect(await admin.listGroups()).toEqual([])
    const notFound = { code: 'GROUP_ID_NOT_FOUND' }
    await expect(admin.describeGroups(['board'])).rejects.toMatchObject(notFound)
    await expect(admin.deleteGroups(['board'])).rejects.toMatchObject(notFound)
    expect(await admin.describeGroups()).toEqual([])
  })

  it('committed offsets are set, listed and forgotten', async () => {
    const { admin } = await start(kind)
    await admin.alterGroupOffsets('board', [
      { topic: 't', partition: 1, offset: 2, metadata: 'by hand' },
      { topic: 't', partition: 0, offset: 5 },
    ])
    const first = { topic: 't', partition: 0, offset: 5, leaderEpoch: null, metadata: '' }
    const second = { topic: 't', partition: 1, offset: 2, leaderEpoch: null, metadata: 'by hand' }
    expect(await admin.listGroupOffsets('board')).toEqual([first, second])
    await admin.deleteGroupOffsets('board', [{ topic: 't', partition: 1 }])
    expect(await admin.listGroupOffsets('board')).toEqual([first])
    expect(await admin.listGroupOffsets('nobody')).toEqual([])
    const unknown = admin.alterGroupOffsets('board', [{ topic: 't', partition: 2, offset: 0 }])
    await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION', message: /t-2/ })
    const negative = admin.alterGroupOffsets('board', [{ topic: 't', partition: 0, offset: -1 }])
    await expect(negative).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('offsets are reset, within the log, to where each target says', async () => {
    const { admin, transport } = await start(kind)
    const first = { topics: [{ topic: 't', partitions: [0] }] }
    const newOffset = async (to: Parameters<Admin['resetGroupOffsets']>[1]['to']) =>
      (await admin.resetGroupOffsets('board', { ...first, to, dryRun: true }))[0]?.newOffset
    expect(await newOffset('earliest')).toBe(0)
    expect(await newOffset('latest')).toBe(10)
    expect(await newOffset('current')).toBe(4)
    expect(await newOffset({ offset: 7 })).toBe(7)
    expect(await newOffset({ offset: 99 })).toBe(10)
    expect(await newOffset({ shiftBy: -3 })).toBe(1)
    expect(await newOffset({ shiftBy: -30 })).toBe(0)
    expect(await newOffset({ timestamp: 0 })).toBe(0)
    const [, last] = (await (await transport.client()).fetch('t', 0, 0)).slice(-2)
    expect(await newOffset({ timestamp: (last?.timestamp ?? 0) + 1 })).toBe(10)
    // Nothing of that was done.
    expect((await admin.listGroupOffsets('board')).map(({ offset }) => offset)).toEqual([4])
    expect(await admin.resetGroupOffsets('board', { to: { offset: 5 }, topics: ['t'] })).toEqual([
      { topic: 't', partition: 0, previousOffset: 4, newOffset: 5, requestedOffset: 5 },
      { topic: 't', partition: 1, previousOffset: null, newOffset: 3, requestedOffset: 5 },
    ])
    await admin.resetGroupOffsets('board', { to: { shiftBy: -1 } })
    expect((await admin.listGroupOffsets('board')).map(({ offset }) => offset)).toEqual([4, 2])
  })

  it('a reset makes a group where topics are named, and refuses what it cannot do', async () => {
    const { admin } = await start(kind)
    await admin.resetGroupOffsets('new', { to: 'latest', topics: ['t'] })
    expect((await admin.listGroupOffsets('new')).map(({ offset }) => offset)).toEqual([10, 3])
    const refused = (groupId: string, options: Parameters<Admin['resetGroupOffsets']>[1], code: string) =>
      expect(admin.resetGroupOffsets(groupId, options)).rejects.toMatchObject({ code })
    await refused('nobody', { to: 'latest' }, 'GROUP_ID_NOT_FOUND')
    await refused('board', { to: 'latest', topics: ['nope'] }, 'UNKNOWN_TOPIC_OR_PARTITION')
    await refused('board', { to: 'latest', topics: [{ topic: 't', partitions: [2] }] }, 'UNKNOWN_TOPIC_OR_PARTITION')
    await refused('board', { to: { shiftBy: 1 }, topics: ['t'] }, 'INVALID_ARGUMENT')
    await refused('board', { to: { offset: -1 } }, 'INVALID_ARGUMENT')
  })

  it('a live member is described, and only it commits', async () => {
    const { admin, transport } = await start(kind)
    const { memberId, leave } = await joinAlone(transport, 'board', 't', 1)
    const [group] = await admin.describeGroupLags(['board'])
    const member = { memberId, groupInstanceId: null, clientId: 'mykafka', topics: ['t'] }
    const assigned = { ...member, assignment: [{ topic: 't', partitions: [1] }] }
    expect(group).toMatchObject({ state: 'Stable', protocolType: 'consumer', protocol: 'range', members: [assigned] })
    expect(group?.partitions).toMatchObject([
      { partition: 0, committedOffset: 4, lag: 6, member: null },
      { partition: 1, committedOffset: null, logEndOffset: 3, lag: null, member: { memberId } },
    ])
    const alter = admin.alterGroupOffsets('board', [{ topic: 't', partition: 0, offset: 0 }])
    await expect(alter).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER_ID' })
    const forget = admin.deleteGroupOffsets('board', [{ topic: 't', partition: 0 }])
    await expect(forget).rejects.toMatchObject({ code: 'GROUP_SUBSCRIBED_TO_TOPIC' })
    await expect(admin.deleteGroups(['board'])).rejects.toMatchObject({ code: 'NON_EMPTY_GROUP' })
    const reset = { to: 'earliest' } as const
    const notEmpty = { code: 'NON_EMPTY_GROUP', message: /board is inactive, but its state is Stable/ }
    await expect(admin.resetGroupOffsets('board', reset)).rejects.toMatchObject(notEmpty)
    await expect(admin.resetGroupOffsets('board', { ...reset, dryRun: true })).rejects.toMatchObject(notEmpty)
    await leave()
    expect(await admin.resetGroupOffsets('board', reset)).toMatchObject([{ newOffset: 0 }])
  })
})
