import { type JoinResult, type MemberProtocol, NO_BYTES, type SyncResult } from './group-messages.js'

export interface MemberSettings {
  readonly id: string
  readonly groupInstanceId: string | null
  readonly clientId: string
  readonly clientHost: string
  readonly rebalanceTimeoutMs: number
  readonly sessionTimeoutMs: number
  readonly protocols: readonly MemberProtocol[]
}

/** A member of a group. Whether it waits for its answer to a join or a sync is kept here; `Group` counts the joins. */
export class GroupMember {
  readonly id: string
  /** Of a static member. */
  readonly groupInstanceId: string | null
  readonly clientId: string
  readonly clientHost: string
  rebalanceTimeoutMs: number
  sessionTimeoutMs: number
  /** The favourite first. */
  protocols: readonly MemberProtocol[]
  /** What the leader gave it. */
  assignment: Buffer = NO_BYTES
  /** It has had no answer to its first join yet: it knows neither its id nor that it must heartbeat. */
  isNew = false
  #joining: ((result: JoinResult) => void)[] = []
  #syncing: ((result: SyncResult) => void)[] = []

  constructor(settings: MemberSettings) {
    this.id = settings.id
    this.groupInstanceId = settings.groupInstanceId
    this.clientId = settings.clientId
    this.clientHost = settings.clientHost
    this.rebalanceTimeoutMs = settings.rebalanceTimeoutMs
    this.sessionTimeoutMs = settings.sessionTimeoutMs
    this.protocols = settings.protocols
  }

  get isJoining(): boolean {
    return this.#joining.length > 0
  }

  get isSyncing(): boolean {
    return this.#syncing.length > 0
  }

  /** One that asks again while it waits, on another connection say, is answered twice. */
  waitForJoin(answer: (result: JoinResult) => void): void {
    this.#joining.push(answer)
  }

  waitForSync(answer: (result: SyncResult) => void): void {
    this.#syncing.push(answer)
  }

  answerJoin(result: JoinResult): void {
    for (const answer of this.#joining.splice(0)) answer(result)
  }

  answerSync(result: SyncResult): void {
    for (const answer of this.#syncing.splice(0)) answer(result)
  }

  /** Whether it need not heartbeat now: it waits for us. A new one may be gone without our knowing. */
  get isExcused(): boolean {
    return !this.isNew && (this.isJoining || this.isSyncing)
  }

  /** What it says to the leader under the protocol. */
  metadata(protocol: string | null): Buffer {
    return this.protocols.find(({ name }) => name === protocol)?.metadata ?? NO_BYTES
  }

  /** Whether these are its protocols already, metadata and all. */
  matches(protocols: readonly MemberProtocol[]): boolean {
    if (protocols.length !== this.protocols.length) return false
    return protocols.every(({ name, metadata }, i) => {
      const own = this.protocols[i]
      return own?.name === name && own.metadata.equals(metadata)
    })
  }
}
