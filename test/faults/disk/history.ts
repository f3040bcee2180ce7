/** What was asked of an engine and when it was done: by positions in the record of a life. */
import type { RecordFormat } from '../../../src/log/record-format.js'
import type { Asked, Mark, Result, Sent } from './marks.js'
import type { TraceEvent } from './trace.js'

/** Something that was asked for at a position, and was done at another; Infinity: never. */
export interface Step {
  readonly askedAt: number
  doneAt: number
}

export interface SentRecord extends Step {
  readonly key: string
  readonly value: string | null
  readonly acks: 1 | 'all'
  /** -1: not known, nobody was told. */
  offset: number
  /** It was cut off. */
  cut: Step | null
}

export interface Valued<T> extends Step {
  readonly value: T
}

/** Of the log start; nobody is promised that what retention removed stays so. */
export interface Start extends Valued<number> {
  readonly isPromised: boolean
}

export class PartitionHistory {
  /** Those whose offset was told. Behind a cut another may have one's offset. */
  readonly told: SentRecord[] = []
  readonly #byOffset = new Map<number, SentRecord[]>()
  readonly untold: SentRecord[] = []
  /** Where the log begins: asked for. */
  readonly starts: Start[] = []
  /** By group. */
  readonly commits = new Map<string, Valued<number>[]>()

  tell(record: SentRecord): void {
    this.told.push(record)
    const others = this.#byOffset.get(record.offset)
    if (others === undefined) this.#byOffset.set(record.offset, [record])
    else others.push(record)
  }

  at(offset: number): readonly SentRecord[] {
    return this.#byOffset.get(offset) ?? []
  }

  commitsOf(group: string): Valued<number>[] {
    const commits = this.commits.get(group) ?? []
    this.commits.set(group, commits)
    return commits
  }
}

/** A topic from its creation to its deletion; one that is made anew under the name is another. */
export class TopicHistory {
  readonly name: string
  readonly format: RecordFormat
  readonly compacted: boolean
  /** Whether compaction may remove a key together with its tombstone. */
  readonly dropsTombstones: boolean
  readonly created: Step
  /** Null: not known, nobody was told. */
  id: string | null = null
  deleted: Step = { askedAt: Number.POSITIVE_INFINITY, doneAt: Number.POSITIVE_INFINITY }
  readonly counts: Valued<number>[]
  readonly configs: Valued<Readonly<Record<string, string>>>[]
  readonly partitions: PartitionHistory[] = []

  constructor(asked: Extract<Asked, { do: 'create' }>, askedAt: number) {
    this.name = asked.topic
    this.format = asked.format
    this.compacted = asked.config['cleanup.policy'] === 'compact'
    this.dropsTombstones = asked.config['delete.retention.ms'] === '0'
    this.created = { askedAt, doneAt: Number.POSITIVE_INFINITY }
    this.counts = [{ ...this.created, value: asked.partitions }]
    this.configs = [{ ...this.created, value: asked.config }]
  }

  partition(number: number): PartitionHistory {
    while (this.partitions.length <= number) this.partitions.push(new PartitionHistory())
    return this.partitions[number] as PartitionHistory
  }
}

export class History {
  readonly topics: TopicHistory[] = []
  /** Where compactions were asked for. */
  readonly compactions: Step[] = []
  /** Where the engine was opened and closed. */
  readonly openings: Step[] = []
  readonly closings: Step[] = []
  /** Where a call was made to fail, and what became known of it. */
  readonly faults: { readonly at: number; readonly call: string; readonly path: string }[] = []
  readonly refusals: { readonly at: number; readonly asked: Asked; readonly code: string; readonly message: string }[] =
    []
  readonly logged: {
    readonly at: number
    readonly level: string
    readonly message: string
    readonly directory: string
  }[] = []
  readonly broken: string[] = []
  /** Records that were found at the start and never acknowledged: on the disk as soon as the engine is open. */
  readonly settling: SentRecord[] = []
  /** Of the cluster, from when it was told on. */
  clusterId: { readonly id: string; readonly at: number } | null = null

  /** The one that was made last under a name. */
  latest(name: string): TopicHistory | undefined {
    return this.topics.findLast((topic) => topic.name === name)
  }

  /** @param goesOn - what was there at the start of the life */
  static of(events: readonly TraceEvent[], goesOn?: History): History {
    const history = goesOn ?? new History()
    const open = new Map<number, Pending>()
    for (const [at, event] of events.entries()) {
      if (event.kind === 'fault') history.faults.push({ at, call: event.call, path: event.path })
      if (event.kind !== 'mark') continue
      const mark = JSON.parse(event.text) as Mark
      switch (mark.mark) {
        case 'asked':
          open.set(mark.n, { asked: mark.asked, done: history.#asked(mark.asked, at) })
          break
        case 'done':
          open.get(mark.n)?.done(at, mark.result)
          break
        case 'failed': {
          const { asked } = open.get(mark.n) as Pending
          history.refusals.push({ at, asked, code: mark.code, message: mark.message })
          break
        }
        case 'logged':
          history.logged.push({ at, level: mark.level, message: mark.message, directory: mark.directory })
          break
        case 'broken':
          history.broken.push(mark.message)
          break
        case 'seen':
          break
      }
    }
    const opened = history.openings[0]?.doneAt ?? Number.POSITIVE_INFINITY
    for (const record of history.settling) record.doneAt = opened
    return history
  }

  /** Notes it. Returns what notes that it is done. */
  #asked(asked: Asked, askedAt: number): Done {
    const step: Step = { askedAt, doneAt: Number.POSITIVE_INFINITY }
    const done = (at: number): void => {
      step.doneAt = at
    }
    const valued = <T>(list: Valued<T>[], value: T): ((at: number) => void) => {
      const entry: Valued<T> = { ...step, value }
      list.push(entry)
      return (at) => {
        entry.doneAt = at
      }
    }
    const topic = 'topic' in asked ? this.latest(asked.topic) : undefined
    const there = (): TopicHistory => {
      if (topic === undefined) throw new Error(`${JSON.stringify(asked)} is of no topic`)
      return topic
    }
    switch (asked.do) {
      case 'create':
        return this.#create(asked, askedAt)
      case 'delete':
        return this.#delete(there(), step)
      case 'grow':
        return valued(there().counts, asked.partitions)
      case 'alter':
        return valued(there().configs, asked.config)
      case 'send':
        return send(there().partition(asked.partition), asked, askedAt)
      case 'delete-records':
        return start(there().partition(asked.partition).starts, asked.offset, askedAt)
      case 'truncate':
        for (const record of there().partition(asked.partition).told) {
          if (record.offset >= asked.offset) record.cut ??= step
        }
        return done
      case 'commit':
        return valued(there().partition(asked.partition).commitsOf(asked.group), asked.offset)
      case 'retention':
        return this.#retain(askedAt)
      case 'compact':
        this.compactions.push(step)
        return done
      case 'open':
        this.openings.push(step)
        return (at, { id = '' }) => {
          step.doneAt = at
          this.clusterId ??= { id, at }
        }
      case 'close':
        this.closings.push(step)
        return done
      case 'flush':
        return () => {}
    }
  }

  /** One that failed may have been made all the same. */
  #delete(topic: TopicHistory, step: Step): Done {
    if (step.askedAt < topic.deleted.askedAt) topic.deleted = step
    return (at) => {
      topic.deleted.doneAt = at
    }
  }

  #create(asked: Extract<Asked, { do: 'create' }>, askedAt: number): Done {
    const topic = new TopicHistory(asked, askedAt)
    this.topics.push(topic)
    return (at, { id }) => {
      topic.id = id ?? null
      for (const step of [topic.created, ...topic.counts, ...topic.configs]) step.doneAt = at
    }
  }

  /** How far it went is told behind it. Where it is not, it may have gone to the end. */
  #retain(askedAt: number): Done {
    const entries: { place: string; list: Start[]; index: number }[] = []
    for (const topic of this.topics.filter(({ compacted }) => !compacted)) {
      if (this.latest(topic.name) !== topic) continue
      for (const [number, { starts }] of topic.partitions.entries()) {
        starts.push({ askedAt, doneAt: Number.POSITIVE_INFINITY, value: Number.POSITIVE_INFINITY, isPromised: false })
        entries.push({ place: `${topic.name} ${number}`, list: starts, index: starts.length - 1 })
      }
    }
    return (at, { starts = {} }) => {
      for (const { place, list, index } of entries)
        list[index] = { askedAt, doneAt: at, value: starts[place] ?? 0, isPromised: false }
    }
  }
}

type Done = (at: number, result: Result) => void

interface Pending {
  readonly asked: Asked
  readonly done: Done
}

function start(starts: Start[], value: number, askedAt: number): Done {
  const entry: Start = { askedAt, doneAt: Number.POSITIVE_INFINITY, value, isPromised: true }
  starts.push(entry)
  return (at) => {
    entry.doneAt = at
  }
}

function send(partition: PartitionHistory, { acks, records }: Extract<Asked, { do: 'send' }>, askedAt: number): Done {
  const sent = records.map(([key, value]: Sent): SentRecord => {
    return { key, value, acks, offset: -1, askedAt, doneAt: Number.POSITIVE_INFINITY, cut: null }
  })
  partition.untold.push(...sent)
  return (at, { base }) => {
    for (const [index, record] of sent.entries()) {
      record.doneAt = at
      record.offset = (base as number) + index
      partition.untold.splice(partition.untold.indexOf(record), 1)
      partition.tell(record)
    }
  }
}
