import { KAFKA_ERRORS } from '../../src/errors.js'
import type { JoinResult } from '../../src/group/group-messages.js'
import type { TestGroups } from './groups.js'

const { MEMBER_ID_REQUIRED, REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION, NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE } =
  KAFKA_ERRORS
/** What a client keeps its id behind. */
const JOIN_AGAIN: ReadonlySet<number> = new Set(
  [REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION, NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE].map(({ wire }) => wire),
)

/** A member as clients are: one request at a time, and what the answer says decides on the next. */
export class GroupClient {
  readonly #groups: TestGroups
  readonly instance: string | null
  #memberId = ''
  #generation: JoinResult | null = null
  #assigned = false
  #waiting = false
  /** It ends the requests of a life that is over. */
  #life = 0

  constructor(groups: TestGroups, instance: string | null) {
    this.#groups = groups
    this.instance = instance
  }

  get memberId(): string {
    return this.#memberId
  }

  /** Its generation, once it has its assignment. */
  get stableGeneration(): number | null {
    return this.#assigned ? (this.#generation?.generationId ?? null) : null
  }

  get isWaiting(): boolean {
    return this.#waiting
  }

  /** Starts anew, as another process does: nothing of before is known. */
  restart(): void {
    this.#life++
    this.#waiting = false
    this.#forget()
  }

  leave(): void {
    const { coordinator } = this.#groups
    const members = [{ memberId: this.#memberId, groupInstanceId: this.instance, reason: null }]
    if (this.#memberId !== '' && !this.#waiting) coordinator.leave({ groupId: 'g', members })
    this.restart()
  }

  /** Does what comes next, unless it waits for an answer. */
  step(): void {
    if (this.#waiting) return
    const generation = this.#generation
    if (generation === null) this.#ask(this.#join(), (result) => this.#joined(result))
    else if (!this.#assigned) this.#ask(this.#sync(generation), (result) => this.#synced(result, generation))
    else this.#obey(this.#groups.heartbeat(generation, this.instance))
  }

  #join(): Promise<JoinResult> {
    const { instance } = this
    return this.#groups.join({ memberId: this.#memberId, groupInstanceId: instance, requireKnownMemberId: true })
  }

  #joined(result: JoinResult): void {
    if (result.errorCode === MEMBER_ID_REQUIRED.wire) this.#memberId = result.memberId
    else if (result.errorCode !== 0) this.#obey(result.errorCode)
    else {
      this.#memberId = result.memberId
      this.#generation = result
    }
  }

  /** A leader gives each member what names it and the generation. */
  #sync(generation: JoinResult): Promise<{ errorCode: number; assignment: Buffer }> {
    const { members, generationId, skipAssignment } = generation
    const shares = skipAssignment ? [] : members.map(({ memberId }) => [memberId, `${generationId} ${memberId}`])
    return this.#groups.sync(generation, Object.fromEntries(shares))
  }

  #synced({ errorCode, assignment }: { errorCode: number; assignment: Buffer }, generation: JoinResult): void {
    if (errorCode !== 0) {
      this.#obey(errorCode)
      return
    }
    const expected = `${generation.generationId} ${this.#memberId}`
    // A static member that came back has what its former self had.
    const isRight = this.instance === null ? `${assignment}` === expected : `${assignment}`.includes(this.instance)
    if (!isRight) throw new Error(`${expected} was given ${assignment}`)
    this.#assigned = true
  }

  #obey(errorCode: number): void {
    if (errorCode === 0) return
    if (JOIN_AGAIN.has(errorCode)) {
      this.#generation = null
      this.#assigned = false
    } else this.#forget()
  }

  #forget(): void {
    this.#memberId = ''
    this.#generation = null
    this.#assigned = false
  }

  #ask<Result>(request: Promise<Result>, answered: (result: Result) => void): void {
    const life = this.#life
    this.#waiting = true
    void request.then((result) => {
      if (life !== this.#life) return
      this.#waiting = false
      answered(result)
    })
  }
}
