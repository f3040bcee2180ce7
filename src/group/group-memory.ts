import type { MemberProtocol } from './group-messages.js'

/** What a group takes beside its members, and a member beside what it and its leader have said. */
export const GROUP_BYTES = 1000
const MEMBER_BYTES = 1000
/** What the members of one group may say: all of it goes to the leader, and into one record. */
const MOST_OF_ONE_GROUP = 16 << 20

/** `group.max.total.bytes`: the memory of all groups, about. */
export class GroupMemory {
  readonly limit: number
  #held = 0

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.limit = limit
  }

  get held(): number {
    return this.#held
  }

  change(bytes: number): void {
    this.#held += bytes
  }

  /** Whether a group may grow by so much. */
  allows(group: GroupSize | undefined, more: number): boolean {
    if (more <= 0) return true
    return this.#held + more <= this.limit && (group?.bytes ?? 0) + more <= MOST_OF_ONE_GROUP
  }
}

/** What one group takes of it. */
export class GroupSize {
  readonly #memory: GroupMemory
  #bytes = 0

  constructor(memory: GroupMemory, groupId: string) {
    this.#memory = memory
    this.change(GROUP_BYTES + groupId.length)
  }

  get bytes(): number {
    return this.#bytes
  }

  change(bytes: number): void {
    this.#bytes += bytes
    this.#memory.change(bytes)
  }

  /** The group is gone. */
  release(): void {
    this.change(-this.#bytes)
  }
}

/** What a member says, as far as it has a length of its own choice. */
export interface SaidByMember {
  readonly clientId: string
  readonly protocols: readonly MemberProtocol[]
  readonly assignment?: Buffer
}

/** What a member takes. */
export function memberBytes({ clientId, protocols, assignment }: SaidByMember): number {
  let bytes = MEMBER_BYTES + clientId.length + (assignment?.length ?? 0)
  for (const { name, metadata } of protocols) bytes += 100 + name.length + metadata.length
  return bytes
}
