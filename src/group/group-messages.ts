/**
 * What members ask of the coordinator and what it answers, whatever the wire. Error codes are Kafka's numbers; 0 is
 * none. Buffers of requests are copied where they are kept.
 *
 * @module
 */
import type { OffsetCommit } from '../topic/offset-store.js'
import type { GroupState } from './group-state.js'

/** A way of assigning that a member knows, and what it says to the leader for that: the coordinator does not read it. */
export interface MemberProtocol {
  readonly name: string
  readonly metadata: Buffer
}

export interface JoinRequest {
  readonly groupId: string
  /** Empty: a new member. */
  readonly memberId: string
  /** `group.instance.id` of a static member. */
  readonly groupInstanceId: string | null
  readonly clientId: string
  readonly clientHost: string
  readonly sessionTimeoutMs: number
  /** Negative: as long as the session. */
  readonly rebalanceTimeoutMs: number
  readonly protocolType: string
  /** The member's favourite first. */
  readonly protocols: readonly MemberProtocol[]
  /** Whether a new member is first told its id (JoinGroup 4 and later): one whose answer is lost leaves no trace then. */
  readonly requireKnownMemberId: boolean
  /** Whether the leader understands that it must not assign (JoinGroup 9). */
  readonly supportsSkippingAssignment: boolean
  readonly reason: string | null
}

export interface JoinedMember {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly metadata: Buffer
}

export interface JoinResult {
  readonly errorCode: number
  readonly memberId: string
  /** -1 with an error. */
  readonly generationId: number
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly leader: string
  /** The leader has the old assignment to go on with. */
  readonly skipAssignment: boolean
  /** All members, for the leader; empty for others. */
  readonly members: readonly JoinedMember[]
}

/** Who speaks, and of which generation. */
export interface MemberRequest {
  readonly groupId: string
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly generationId: number
}

export interface SyncRequest extends MemberRequest {
  /** Null where the wire's version does not say. */
  readonly protocolType: string | null
  readonly protocolName: string | null
  /** From the leader: what each member gets. */
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[]
}

export interface SyncResult {
  readonly errorCode: number
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly assignment: Buffer
}

/** Who is to leave: a static member may be named by its instance alone. */
export interface LeavingMember {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly reason: string | null
}

export interface LeaveRequest {
  readonly groupId: string
  readonly members: readonly LeavingMember[]
}

export interface LeaveResult {
  readonly errorCode: number
  readonly members: readonly {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly errorCode: number
  }[]
}

export interface CommitRequest extends MemberRequest {
  readonly offsets: readonly OffsetCommit[]
}

export interface DescribedGroup {
  readonly groupId: string
  readonly state: GroupState
  readonly protocolType: string
  /** The chosen protocol of a stable group, else empty. */
  readonly protocolName: string
  readonly members: readonly {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly clientId: string
    readonly clientHost: string
    readonly metadata: Buffer
    readonly assignment: Buffer
  }[]
}

export interface ListedGroup {
  readonly groupId: string
  readonly protocolType: string
  readonly state: GroupState
  readonly type: 'classic'
}

export const NO_BYTES: Buffer = Buffer.alloc(0)

/** The answer to a member that may not join. */
export function joinFailure(errorCode: number, memberId: string): JoinResult {
  return {
    errorCode,
    memberId,
    generationId: -1,
    protocolType: null,
    protocolName: null,
    leader: '',
    skipAssignment: false,
    members: [],
  }
}

export function syncFailure(errorCode: number): SyncResult {
  return { errorCode, protocolType: null, protocolName: null, assignment: NO_BYTES }
}
