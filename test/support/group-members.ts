import type { Transport } from '../../src/client/transport.js'
import { joinGroupApi } from '../../src/wire/kafka/generated/join-group.js'
import { leaveGroupApi } from '../../src/wire/kafka/generated/leave-group.js'
import { syncGroupApi } from '../../src/wire/kafka/generated/sync-group.js'
import { subscription } from './groups.js'

/** The last version in which a member is taken in without a second request. */
const VERSION = 3

/** A live member of a group, alone in it, to which one partition of a topic is assigned. */
export interface OnlyMember {
  readonly memberId: string
  leave(): Promise<void>
}

/** An assignment as consumers write it: version 0, one topic, one partition, no user data. */
export function assignment(topic: string, partition: number): Buffer {
  const name = Buffer.from(topic)
  const numbers = Buffer.from([0, 0, 0, 1, 0, 0, 0, partition])
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 1, 0, name.length]), name, numbers, Buffer.from('ffffffff', 'hex')])
}

/** Joins a group over a client's connection. */
export async function joinAlone(
  transport: Transport,
  groupId: string,
  topic: string,
  partition: number,
): Promise<OnlyMember> {
  const kafka = await transport.kafka()
  const { memberId, generationId = -1 } = await kafka.call(joinGroupApi, VERSION, {
    groupId,
    sessionTimeoutMs: 30_000,
    rebalanceTimeoutMs: 30_000,
    memberId: '',
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: subscription(topic) }],
    reason: null,
  })
  await kafka.call(syncGroupApi, VERSION, {
    groupId,
    generationId,
    memberId,
    groupInstanceId: null,
    protocolType: null,
    protocolName: null,
    assignments: [{ memberId, assignment: assignment(topic, partition) }],
  })
  const leave = { groupId, memberId: '', members: [{ memberId, groupInstanceId: null, reason: null }] }
  return { memberId, leave: async () => void (await kafka.call(leaveGroupApi, 5, leave)) }
}
