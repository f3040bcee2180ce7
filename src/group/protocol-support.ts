import type { GroupMember } from './group-member.js'
import type { MemberProtocol } from './group-messages.js'

/** How many members of a group know each protocol. */
export class ProtocolSupport {
  readonly #members = new Map<string, number>()

  add(protocols: readonly MemberProtocol[]): void {
    for (const name of namesOf(protocols)) this.#members.set(name, this.#count(name) + 1)
  }

  remove(protocols: readonly MemberProtocol[]): void {
    for (const name of namesOf(protocols)) {
      const left = this.#count(name) - 1
      if (left > 0) this.#members.set(name, left)
      else this.#members.delete(name)
    }
  }

  /** Whether one of the protocols is known to all of so many members. */
  anyKnownToAll(protocols: readonly MemberProtocol[], members: number): boolean {
    return protocols.some(({ name }) => this.#count(name) === members)
  }

  /** Each member votes for its favourite among those that all know; the first with the most votes wins. */
  vote(members: ReadonlyMap<string, GroupMember>): string | null {
    const votes = new Map<string, number>()
    for (const { protocols } of members.values()) {
      const favourite = protocols.find(({ name }) => this.#count(name) === members.size)
      if (favourite !== undefined) votes.set(favourite.name, (votes.get(favourite.name) ?? 0) + 1)
    }
    let chosen: string | null = null
    for (const [name, count] of votes) {
      if (chosen === null || count > (votes.get(chosen) as number)) chosen = name
    }
    return chosen
  }

  #count(name: string): number {
    return this.#members.get(name) ?? 0
  }
}

/** A client may name one twice. */
function namesOf(protocols: readonly MemberProtocol[]): Set<string> {
  return new Set(protocols.map(({ name }) => name))
}
