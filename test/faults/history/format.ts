/**
 * Histories: what clients asked of a broker and what they were told, one JSON object a line, one file a client.
 * A line begins with what it is about, `{"on":"topic/partition",`, so that a reader passes over the others unparsed.
 * Times are microseconds of the machine's monotonic clock: those of several processes can be compared.
 *
 * @module
 */

/**
 * `ok`: it happened, and this is what was answered. `no`: it did not happen and never will. `unknown`: it may have
 * happened, or may happen yet.
 */
export type Result = 'ok' | 'no' | 'unknown'

interface Common {
  /** `topic/partition`, or `*` for what concerns all of them. A topic that is made anew has another name here. */
  readonly on: string
  /** When it was asked. */
  readonly begin: number
  /** When the answer was there; null: none came. */
  readonly end: number | null
  readonly result: Result
  /** The error. */
  readonly why?: string
}

/** Records that were sent together. */
export interface Produce extends Common {
  readonly op: 'produce'
  /** 1, or -1 for all. */
  readonly acks: number
  /** Who sends in an order that is to be kept, and the how-manieth this is. */
  readonly stream: string
  readonly n: number
  /** It has sequence numbers: it is there once at the most, however often it was sent, and behind what came before. */
  readonly idempotent: boolean
  /** The client sends again by itself what was not answered: without sequence numbers it may be there more than once. */
  readonly retries: boolean
  /** For each record `digestOf` it, and its key. */
  readonly records: readonly (readonly [digest: string, key: string | null])[]
  /** Of the first record. */
  readonly offset?: number
}

/** Records that were read, from an offset on. */
export interface Fetch extends Common {
  readonly op: 'fetch'
  /** Who reads on from where it stopped; one that seeks, or joins a group again, goes on under another name. */
  readonly reader: string
  /** For which group, where it is a member of one. */
  readonly group?: string
  readonly from: number
  readonly records?: readonly (readonly [offset: number, digest: string])[]
  /** Where to read on; none: behind the last record. Where it is `from`, the log ended there. */
  readonly next?: number
  readonly logStart?: number
  readonly logEnd?: number
}

/** Where the log begins and ends. */
export interface Ends extends Common {
  readonly op: 'ends'
  readonly logStart?: number
  readonly logEnd?: number
}

/** A group's offset was committed. */
export interface Commit extends Common {
  readonly op: 'commit'
  readonly group: string
  readonly offset: number
  /** Of a member. */
  readonly generation?: number
}

/** A group's offset was asked for. */
export interface Committed extends Common {
  readonly op: 'committed'
  readonly group: string
  readonly offset?: number | null
}

/** A member heard that the partition is its own in a generation, and gave it up or was told so at the end. */
export interface Own extends Common {
  readonly op: 'own'
  readonly group: string
  readonly member: string
  readonly generation: number
}

/** Records below an offset were to be deleted. */
export interface Trim extends Common {
  readonly op: 'trim'
  readonly to: number
}

/** The partition was made. */
export interface Made extends Common {
  readonly op: 'made'
  /** `keep`: only `trim` takes records away; `delete`: retention too; `compact`: what a newer record of its key supersedes. */
  readonly cleanup: 'keep' | 'delete' | 'compact'
}

/** The partition was deleted with its topic. */
export interface Removed extends Common {
  readonly op: 'removed'
}

/** What was done to the broker; `end`: it answers again. */
export interface Fault extends Common {
  readonly op: 'fault'
  readonly fault: string
  /** `unsynced`: what was not synced to the disk may be gone, as behind power loss. */
  readonly loses: 'nothing' | 'unsynced'
}

export type Line = Produce | Fetch | Ends | Commit | Committed | Own | Trim | Made | Removed | Fault

export const EVERYWHERE = '*'

/** What a line is about, without parsing it. */
export function subjectOf(line: string): string {
  const start = '{"on":"'.length
  if (!line.startsWith('{"on":"')) throw new Error(`no line of a history: ${line.slice(0, 100)}`)
  return line.slice(start, line.indexOf('"', start))
}
