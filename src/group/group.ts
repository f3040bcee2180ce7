import { randomUUID } from 'node:crypto'
import { codeOf } from './error-code.js'
import { GroupMember } from './group-member.js'
import { GroupMemory, GroupSize, memberBytes } from './group-memory.js'
import {
  type JoinedMember,
  type JoinResult,
  joinFailure,
  type MemberProtocol,
  type MemberRequest,
  syncFailure,
} from './group-messages.js'
import { type GroupState, mayBecome } from './group-state.js'
import { GroupTimers } from './group-timers.js'
import { ProtocolSupport } from './protocol-support.js'
import { subscribedTopics } from './subscription.js'

/** What a member's id has of its client's name: the id goes where a string of 32767 bytes does. */
const MOST_NAME_CHARACTERS = 255
/** What an id that was given out takes until somebody joins with it. */
const PENDING_BYTES = 500
/** What members say they subscribe to is looked at up to so many bytes of it together. */
const MOST_SUBSCRIBED_BYTES = 4 << 20

/** The protocol type of consumers; Kafka Connect, say, has another. */
const CONSUMER_PROTOCOL = 'consumer'

/** A group's members, and what they have agreed on. It does nothing by itself: `Rebalancer` moves it on. */
export class Group {
  readonly id: string
  /** What it takes in memory. */
  readonly size: GroupSize
  readonly timers = new GroupTimers()
  generationId = 0
  /** Null: nobody ever joined, offsets were committed from outside. */
  protocolType: string | null = null
  /** What members assign by, since the last rebalance. */
  protocolName: string | null = null
  leaderId: string | null = null
  /** Somebody came while an empty group waits for its first members. */
  newMemberAdded = false
  /** Whether the log has a record of it. */
  stored = false
  /** When it came into its state, in milliseconds since 1970. */
  stateSince = Date.now()
  readonly #members = new Map<string, GroupMember>()
  /** Ids of static members by instance. */
  readonly #instances = new Map<string, string>()
  /** Ids that were given out and have not joined yet. */
  readonly #pendingJoins = new Set<string>()
  /** Members that have not asked for their assignment yet. */
  readonly pendingSyncs = new Set<string>()
  readonly #support = new ProtocolSupport()
  #state: GroupState = 'Empty'
  #previousState: GroupState = 'Dead'
  #joining = 0
  #subscribedTopics: ReadonlySet<string> | null = null

  constructor(id: string, memory = new GroupMemory()) {
    this.id = id
    this.size = new GroupSize(memory, id)
  }

  get state(): GroupState {
    return this.#state
  }

  get previousState(): GroupState {
    return this.#previousState
  }

  get members(): ReadonlyMap<string, GroupMember> {
    return this.#members
  }

  /** Members that wait for the others to join. */
  get joiningCount(): number {
    return this.#joining
  }

  get allJoined(): boolean {
    return this.#members.size === this.#joining && this.pendingJoins.size === 0
  }

  get isConsumerGroup(): boolean {
    return this.protocolType === CONSUMER_PROTOCOL
  }

  get rebalanceTimeoutMs(): number {
    let longest = 0
    for (const { rebalanceTimeoutMs } of this.#members.values()) longest = Math.max(longest, rebalanceTimeoutMs)
    return longest
  }

  is(...states: GroupState[]): boolean {
    return states.includes(this.#state)
  }

  become(state: GroupState): void {
    if (!mayBecome(this.#state, state)) throw new Error(`a group goes not from ${this.#state} to ${state}`)
    this.#previousState = this.#state
    this.#state = state
    this.stateSince = Date.now()
  }

  /** The state of a group that was read from the log: with members it was stable. */
  restore(stateSince: number): void {
    this.#state = this.#members.size === 0 ? 'Empty' : 'Stable'
    this.stateSince = stateSince
    this.#learnSubscriptions()
  }

  newMemberId(clientId: string, groupInstanceId: string | null): string {
    return `${(groupInstanceId ?? clientId).slice(0, MOST_NAME_CHARACTERS)}-${randomUUID()}`
  }

  memberOf(groupInstanceId: string): string | undefined {
    return this.#instances.get(groupInstanceId)
  }

  /** Whether a member with these could join. */
  supports(protocolType: string, protocols: readonly MemberProtocol[]): boolean {
    if (this.#state === 'Empty') return protocolType !== '' && protocols.length > 0
    return this.protocolType === protocolType && this.#support.anyKnownToAll(protocols, this.#members.size)
  }

  add(member: GroupMember, protocolType: string): void {
    if (this.#members.size === 0) this.protocolType = protocolType
    this.leaderId ??= member.id
    if (member.groupInstanceId !== null) this.#instances.set(member.groupInstanceId, member.id)
    this.#members.set(member.id, member)
    this.size.change(memberBytes(member))
    this.#support.add(member.protocols)
    if (member.isJoining) this.#joining++
    this.#dropPending(member.id)
  }

  /** Also one that was only given its id. It is told where it waits. */
  remove(memberId: string): void {
    this.timers.endSession(memberId)
    this.#dropPending(memberId)
    this.pendingSyncs.delete(memberId)
    const member = this.#members.get(memberId)
    if (member === undefined) return
    this.answerJoin(member, joinFailure(codeOf('UNKNOWN_MEMBER_ID'), ''))
    member.answerSync(syncFailure(codeOf('UNKNOWN_MEMBER_ID')))
    this.#members.delete(memberId)
    this.size.change(-memberBytes(member))
    this.#support.remove(member.protocols)
    const { groupInstanceId } = member
    if (groupInstanceId !== null && this.#instances.get(groupInstanceId) === memberId) {
      this.#instances.delete(groupInstanceId)
    }
    if (this.leaderId === memberId) this.leaderId = this.#members.keys().next().value ?? null
  }

  /** What a member says when it joins once more. */
  update(member: GroupMember, said: Pick<GroupMember, 'protocols' | 'rebalanceTimeoutMs' | 'sessionTimeoutMs'>): void {
    this.#support.remove(member.protocols)
    this.size.change(-memberBytes(member))
    member.protocols = said.protocols
    this.size.change(memberBytes(member))
    this.#support.add(member.protocols)
    member.rebalanceTimeoutMs = said.rebalanceTimeoutMs
    member.sessionTimeoutMs = said.sessionTimeoutMs
  }

  /** Gives a member what the leader assigned to it. */
  assign(member: GroupMember, assignment: Buffer): void {
    this.size.change(assignment.length - member.assignment.length)
    member.assignment = assignment
  }

  get pendingJoins(): ReadonlySet<string> {
    return this.#pendingJoins
  }

  /** An id was given out. */
  expectJoin(memberId: string): void {
    this.#pendingJoins.add(memberId)
    this.size.change(PENDING_BYTES)
  }

  #dropPending(memberId: string): void {
    if (this.#pendingJoins.delete(memberId)) this.size.change(-PENDING_BYTES)
  }

  waitForJoin(member: GroupMember, answer: (result: JoinResult) => void): void {
    if (!member.isJoining) this.#joining++
    member.waitForJoin(answer)
  }

  answerJoin(member: GroupMember, result: JoinResult): void {
    if (!member.isJoining) return
    this.#joining--
    member.answerJoin(result)
  }

  /** A static member that comes back gets another id; whoever still waits under the old one is fenced. */
  replaceStaticMember(oldId: string, newId: string): GroupMember {
    const old = this.#members.get(oldId) as GroupMember
    const fenced = codeOf('FENCED_INSTANCE_ID')
    this.answerJoin(old, joinFailure(fenced, oldId))
    old.answerSync(syncFailure(fenced))
    this.timers.endSession(oldId)
    this.#members.delete(oldId)
    const member = new GroupMember({ ...old, id: newId })
    member.assignment = old.assignment
    this.#members.set(newId, member)
    if (this.pendingSyncs.delete(oldId)) this.pendingSyncs.add(newId)
    if (this.leaderId === oldId) this.leaderId = newId
    this.#instances.set(old.groupInstanceId as string, newId)
    return member
  }

  /** The error of a request that speaks for a member, of whatever generation; 0: it may. */
  checkMember({ memberId, groupInstanceId }: Pick<MemberRequest, 'memberId' | 'groupInstanceId'>): number {
    if (groupInstanceId !== null) {
      const existing = this.#instances.get(groupInstanceId)
      if (existing === undefined) return codeOf('UNKNOWN_MEMBER_ID')
      if (existing !== memberId) return codeOf('FENCED_INSTANCE_ID')
    }
    return this.#members.has(memberId) ? 0 : codeOf('UNKNOWN_MEMBER_ID')
  }

  /**
   * Makes a member that has joined the leader, where the leader has not.
   *
   * @returns whether there is a leader that has joined
   */
  electLeader(): boolean {
    if (this.leaderId !== null && this.#members.get(this.leaderId)?.isJoining) return true
    for (const member of this.#members.values()) {
      if (!member.isJoining) continue
      this.leaderId = member.id
      return true
    }
    return false
  }

  selectProtocol(): string | null {
    return this.#support.vote(this.#members)
  }

  /** Begins the next generation with the members that there are. */
  nextGeneration(): void {
    this.generationId++
    this.pendingSyncs.clear()
    this.protocolName = this.#members.size === 0 ? null : this.selectProtocol()
    this.#learnSubscriptions()
    this.become(this.#members.size === 0 ? 'Empty' : 'CompletingRebalance')
  }

  /** For the leader: who there is, and what each says. */
  joinedMembers(): JoinedMember[] {
    return [...this.#members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.groupInstanceId,
      metadata: member.metadata(this.protocolName),
    }))
  }

  /** Whether a consumer of it reads the topic. Where that cannot be known, consumers read everything. */
  isSubscribedTo(topic: string): boolean {
    return this.#subscribedTopics?.has(topic) ?? this.isConsumerGroup
  }

  get subscriptionsKnown(): boolean {
    return this.#subscribedTopics !== null
  }

  #learnSubscriptions(): void {
    this.#subscribedTopics = null
    if (!this.isConsumerGroup) return
    const topics = new Set<string>()
    let bytes = 0
    for (const member of this.#members.values()) {
      bytes += member.metadata(this.protocolName).length
      if (bytes > MOST_SUBSCRIBED_BYTES) return
      const own = subscribedTopics(member.metadata(this.protocolName))
      if (own === null) return
      for (const topic of own) topics.add(topic)
    }
    this.#subscribedTopics = topics
  }
}
