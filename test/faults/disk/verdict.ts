/** Holds what an engine has behind a crash against what it was asked, and what it had acknowledged. */
import type { Found, FoundLog, FoundTopic } from './found.js'
import type { History, PartitionHistory, SentRecord, Step, TopicHistory, Valued } from './history.js'

export interface Count {
  acknowledged: number
  lost: number
}

export interface Verdict {
  readonly all: Count
  readonly one: Count
  readonly wrong: string[]
  /** Of those that were promised, which are lost. */
  readonly missing: string[]
}

/** A moment of a life. */
export interface Moment {
  readonly history: History
  /** What has a smaller position had happened. */
  readonly at: number
  /** The process was killed and the machine went on: what was written is there. */
  readonly killed: boolean
  /** Whether commits waited for the disk. */
  readonly syncedCommits: boolean
}

export function judge(found: Found, moment: Moment): Verdict {
  return new Judge(moment).run(found)
}

class Judge {
  readonly #history: History
  readonly #at: number
  readonly #killed: boolean
  readonly #promisesCommits: boolean
  readonly #verdict: Verdict = {
    all: { acknowledged: 0, lost: 0 },
    one: { acknowledged: 0, lost: 0 },
    wrong: [],
    missing: [],
  }

  constructor({ history, at, killed, syncedCommits }: Moment) {
    this.#history = history
    this.#at = at
    this.#killed = killed
    this.#promisesCommits = killed || syncedCommits
  }

  run(found: Found): Verdict {
    const { clusterId } = this.#history
    if (clusterId !== null && clusterId.at < this.#at && clusterId.id !== found.clusterId) {
      this.#wrong(`the cluster id is ${found.clusterId}, and was ${clusterId.id}`)
    }
    const there = new Map(found.topics.map((topic) => [topic.name, topic]))
    for (const name of new Set(this.#history.topics.map((topic) => topic.name))) {
      this.#topic(name, there.get(name))
      there.delete(name)
    }
    for (const name of there.keys()) this.#wrong(`the topic ${name} was never made`)
    for (const { group, topic, partition, offset } of found.commits) {
      const log = found.topics.find(({ name }) => name === topic)?.logs[partition]
      if (log && offset > log.end)
        this.#wrong(`${group} is at ${offset} of ${topic}/${partition}, which ends at ${log.end}`)
    }
    this.#commits(found)
    return this.#verdict
  }

  #wrong(message: string): void {
    this.#verdict.wrong.push(message)
  }

  #asked({ askedAt }: Step): boolean {
    return askedAt < this.#at
  }

  #done({ doneAt }: Step): boolean {
    return doneAt < this.#at
  }

  #topic(name: string, found: FoundTopic | undefined): void {
    const all = this.#history.topics.filter((topic) => topic.name === name && this.#asked(topic.created))
    const required = all.findLast((topic) => this.#done(topic.created))
    // The names of deleted topics are there again only by another creation.
    const mayBeGone = required === undefined || this.#asked(required.deleted)
    if (found === undefined) {
      if (!mayBeGone) {
        this.#wrong(`the topic ${name} is gone`)
        this.#lose(required as TopicHistory)
      }
      return
    }
    const untold = all.filter(({ id, format }) => id === null && format === found.format)
    const topic = all.findLast(({ id }) => id === found.id) ?? untold.at(-1)
    if (topic === undefined) {
      this.#wrong(`the topic ${name} is there under an id that was never told`)
      return
    }
    if (this.#done(topic.deleted)) {
      this.#wrong(`the topic ${name} was deleted and is there`)
      return
    }
    if (required !== undefined && topic !== required && !mayBeGone) {
      this.#wrong(`the topic ${name} is another one than was made`)
      return
    }
    if (found.format !== topic.format) this.#wrong(`the topic ${name} has entries of ${found.format}`)
    // One whose making failed, and could not be taken back, was reported as left over.
    if (topic.id === null) return
    if (!this.#allowed(topic.counts, (count) => count === found.logs.length)) {
      this.#wrong(`the topic ${name} has ${found.logs.length} partitions`)
    }
    if (!this.#allowed(topic.configs, (config) => isSame(config, found.config))) {
      this.#wrong(`the topic ${name} has the configurations ${JSON.stringify(found.config)}`)
    }
    for (const [number, partition] of topic.partitions.entries()) {
      const log = found.logs[number]
      if (log) this.#log(`${name}/${number}`, topic, partition, log)
      else if (log === null) this.#wrong(`${name}/${number} is offline`)
      else for (const record of partition.told) this.#count(record, false)
    }
    for (const [number, log] of found.logs.entries()) {
      if (topic.partitions[number] === undefined && log && log.end > 0) this.#wrong(`${name}/${number} is not empty`)
    }
  }

  /** Whether it is one that was done last, or was asked for since. */
  #allowed<T>(values: readonly Valued<T>[], isIt: (value: T) => boolean): boolean {
    const last = values.findLastIndex((step) => this.#done(step))
    return values.some((step, index) => index >= last && this.#asked(step) && isIt(step.value))
  }

  #lose(topic: TopicHistory): void {
    for (const { told } of topic.partitions) for (const record of told) this.#count(record, false)
  }

  #isRequired(record: SentRecord): boolean {
    return this.#done(record) && (record.acks === 'all' || this.#killed)
  }

  #count(record: SentRecord, isThere: boolean): void {
    if (!this.#done(record)) return
    if (!isThere && this.#isRequired(record)) {
      const { key, value, offset, askedAt, doneAt } = record
      this.#verdict.missing.push(`${key}=${value?.slice(0, 12)} at ${offset}, sent ${askedAt}, acknowledged ${doneAt}`)
    }
    const count = record.acks === 'all' ? this.#verdict.all : this.#verdict.one
    count.acknowledged++
    if (!isThere) count.lost++
  }

  #log(place: string, topic: TopicHistory, partition: PartitionHistory, log: FoundLog): void {
    const { starts, told, untold } = partition
    const least = Math.max(0, ...starts.filter((step) => step.isPromised && this.#done(step)).map(({ value }) => value))
    const most = Math.max(0, ...starts.filter((step) => this.#asked(step)).map(({ value }) => value))
    if (log.start < least) this.#wrong(`${place} begins at ${log.start}, and records below ${least} were deleted`)
    if (log.start > most) this.#wrong(`${place} begins at ${log.start}: nothing above ${most} was to be deleted`)
    const there = this.#records(place, partition, log)
    const compactedAt = this.#history.compactions.some((step) => this.#asked(step))
    const later = new LaterRecords(
      topic,
      [...told, ...untold].filter((step) => this.#asked(step)),
      there.values(),
    )
    for (const record of told) {
      const { offset, cut } = record
      if (offset < log.start || (cut !== null && this.#asked(cut))) continue
      const mayBeCompacted = topic.compacted && compactedAt && later.has(record)
      this.#count(record, there.get(offset) === record || mayBeCompacted)
      if (this.#isRequired(record) && log.end <= offset)
        this.#wrong(`${place} ends at ${log.end}, and ${offset} was acknowledged`)
    }
    if (topic.compacted && compactedAt) return
    for (let offset = log.start; offset < log.end; offset++) {
      if (!there.has(offset)) this.#wrong(`${place} has no record ${offset}`)
    }
  }

  /** Those that were sent; what was not is wrong. */
  #records(place: string, partition: PartitionHistory, log: FoundLog): Map<number, SentRecord> {
    const there = new Map<number, SentRecord>()
    const left = new Set(partition.untold.filter((record) => this.#asked(record)))
    let before = -1
    for (const { offset, key, value } of log.records) {
      if (offset <= before) this.#wrong(`${place} has ${offset} behind ${before}`)
      before = offset
      const matches = (record: SentRecord): boolean => record.key === key && record.value === value
      const isLeft = ({ cut }: SentRecord): boolean => cut === null || !this.#done(cut)
      const told = partition.at(offset).find((record) => this.#asked(record) && isLeft(record) && matches(record))
      if (told !== undefined) {
        there.set(offset, told)
        continue
      }
      const other = [...left].find(matches)
      if (other === undefined)
        this.#wrong(`${place} has at ${offset} what was not sent there: ${key}=${value?.slice(0, 30)}`)
      else {
        left.delete(other)
        there.set(offset, { ...other, offset })
      }
    }
    return there
  }

  #commits(found: Found): void {
    const offsetOf = (group: string, topic: string, partition: number): number | undefined =>
      found.commits.find((each) => each.group === group && each.topic === topic && each.partition === partition)?.offset
    for (const { name, id, logs } of found.topics) {
      const asked = this.#history.topics.filter((each) => each.name === name && this.#asked(each.created))
      const topic = asked.findLast((each) => each.id === id) ?? asked.findLast((each) => each.id === null)
      if (topic === undefined) continue
      for (const [number, { commits }] of topic.partitions.entries()) {
        const end = logs[number]?.end ?? 0
        for (const [group, steps] of commits) {
          this.#commit(`${group} of ${name}/${number}`, steps, offsetOf(group, name, number), end)
        }
      }
      for (const { group, topic: of, partition } of found.commits) {
        if (of !== name || topic.partitions[partition]?.commits.has(group)) continue
        this.#wrong(`${group} has an offset of ${name}/${partition}, and committed none`)
      }
    }
  }

  #commit(what: string, steps: readonly Valued<number>[], offset: number | undefined, end: number): void {
    const asked = steps.filter((step) => this.#asked(step))
    const last = steps.findLastIndex((step) => this.#done(step) && this.#promisesCommits)
    if (offset === undefined) {
      if (last >= 0) this.#wrong(`${what} is gone`)
      return
    }
    // Above the end of its log it is set to the end.
    const isOne = ({ value }: Valued<number>): boolean => value === offset || (value > offset && offset === end)
    if (!asked.some((step, index) => index >= last && isOne(step))) {
      this.#wrong(`${what} is at ${offset}, and was not committed there: the log ends at ${end}`)
    }
  }
}

/** Of each key, what a compaction may have found behind a record. */
class LaterRecords {
  readonly #latest = new Map<string, number>()
  readonly #tombstones = new Map<string, number>()
  readonly #cut = new Map<string, number>()

  constructor({ dropsTombstones }: TopicHistory, sent: readonly SentRecord[], there: Iterable<SentRecord>) {
    for (const { key, offset } of there) this.#latest.set(key, Math.max(offset, this.#latest.get(key) ?? -1))
    for (const { key, value, offset, cut } of sent) {
      // What was cut off later may have taken the place of others before.
      if (cut !== null) this.#cut.set(key, Math.max(offset, this.#cut.get(key) ?? -1))
      if (!dropsTombstones) continue
      // One that nobody was told of may be anywhere.
      const place = offset < 0 ? Number.POSITIVE_INFINITY : offset
      if (value === null) this.#tombstones.set(key, Math.max(place, this.#tombstones.get(key) ?? -1))
    }
  }

  /** Whether another record of the key is behind it, or its key was deleted and all of it is gone. */
  has({ key, offset }: SentRecord): boolean {
    if ((this.#cut.get(key) ?? -1) > offset) return true
    const latest = this.#latest.get(key)
    if (latest !== undefined) return latest > offset
    return (this.#tombstones.get(key) ?? -1) >= offset
  }
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const text = (config: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(config).sort())
  return text(one) === text(other)
}
