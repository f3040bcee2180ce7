import { setImmediate as turn } from 'node:timers/promises'
import { vi } from 'vitest'
import type { GroupConfig } from '../../src/group/group-config.js'
import { GroupCoordinator } from '../../src/group/group-coordinator.js'
import type { JoinRequest, JoinResult, SyncResult } from '../../src/group/group-messages.js'
import type { PartitionLog } from '../../src/log/partition-log.js'
import { behindEachTest } from './clean-up.js'
import { openLogs } from './log-manager.js'
import { type MemoryLogger, memoryLogger } from './memory-logger.js'
import { temporaryDirectory } from './temporary.js'

export const CONFIG: GroupConfig = {
  initialRebalanceDelayMs: 0,
  minSessionTimeoutMs: 6_000,
  maxSessionTimeoutMs: 1_800_000,
  maxSize: 1_000,
  maxTotalBytes: 64 << 20,
  offsetMetadataMaxBytes: 4_096,
  offsetsRetentionMs: 7 * 24 * 3_600_000,
  offsetsRetentionCheckIntervalMs: 600_000,
}

/** Metadata of a consumer that subscribes to topics: version 0, the topics, no user data. */
export function subscription(...topics: string[]): Buffer {
  const parts = topics.map((topic) => Buffer.concat([Buffer.from([0, topic.length]), Buffer.from(topic)]))
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 0, topics.length]), ...parts, Buffer.from([0xff, 0xff, 0xff, 0xff])])
}

const running = new Set<GroupCoordinator>()

behindEachTest(() => {
  for (const coordinator of running) coordinator.close()
  running.clear()
  vi.useRealTimers()
})

/**
 * A coordinator over a real log, and the clock in the test's hands: timers run when the test says so. It knows every
 * topic but those named `gone`.
 */
export class TestGroups {
  readonly log: PartitionLog
  logger: MemoryLogger = memoryLogger()
  #coordinator: GroupCoordinator | null = null

  static async start(config: Partial<GroupConfig> = {}): Promise<TestGroups> {
    const logs = await openLogs(await temporaryDirectory())
    await logs.createTopic('__consumer_offsets', 1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
    const groups = new TestGroups(logs.partition('__consumer_offsets', 0))
    await groups.restart(config)
    return groups
  }

  private constructor(log: PartitionLog) {
    this.log = log
  }

  get coordinator(): GroupCoordinator {
    if (this.#coordinator === null) throw new Error('not started')
    return this.#coordinator
  }

  /** What a broker's start makes of the log. */
  async restart(config: Partial<GroupConfig> = {}): Promise<void> {
    this.#coordinator?.close()
    // What was to be written is, as at a broker's stop.
    await turn()
    this.logger = memoryLogger()
    this.#coordinator = await GroupCoordinator.load(this.log, {
      config: { ...CONFIG, ...config },
      logger: this.logger,
      commitAcks: 1,
      hasTopic: (topic) => topic !== 'gone',
    })
    running.add(this.#coordinator)
  }

  join(request: Partial<JoinRequest> = {}): Promise<JoinResult> {
    return this.coordinator.join({
      groupId: 'g',
      memberId: '',
      groupInstanceId: null,
      clientId: 'client',
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 60_000,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: subscription('t') }],
      requireKnownMemberId: false,
      supportsSkippingAssignment: true,
      reason: null,
      ...request,
    })
  }

  sync(member: JoinResult, assignments: Record<string, string> = {}): Promise<SyncResult> {
    return this.coordinator.sync({
      groupId: 'g',
      memberId: member.memberId,
      groupInstanceId: null,
      generationId: member.generationId,
      protocolType: null,
      protocolName: null,
      assignments: Object.entries(assignments).map(([memberId, text]) => ({ memberId, assignment: Buffer.from(text) })),
    })
  }

  heartbeat({ memberId, generationId }: JoinResult, groupInstanceId: string | null = null): number {
    return this.coordinator.heartbeat({ groupId: 'g', memberId, groupInstanceId, generationId })
  }

  get state(): string {
    return this.coordinator.admin.describe('g').state
  }

  /** A stable group of so many dynamic members, the leader first. Each is assigned its place among them. */
  async stableGroup(count: number, request: Partial<JoinRequest> = {}): Promise<JoinResult[]> {
    const ids: string[] = []
    for (let i = 0; i < count; i++) ids.push((await this.join({ ...request, requireKnownMemberId: true })).memberId)
    const [leader = '', ...others] = ids
    const alone = await this.join({ ...request, memberId: leader })
    if (count === 1) return await this.assign([alone])
    const joining = others.map((memberId) => this.join({ ...request, memberId }))
    return await this.assign(await Promise.all([this.join({ ...request, memberId: leader }), ...joining]))
  }

  /** All members, the leader first, ask for their assignment: each gets its place among them. */
  async assign(members: JoinResult[]): Promise<JoinResult[]> {
    const assignments = Object.fromEntries(members.map(({ memberId }, i) => [memberId, String(i)]))
    await Promise.all(members.map((member, i) => this.sync(member, i === 0 ? assignments : {})))
    return members
  }
}
