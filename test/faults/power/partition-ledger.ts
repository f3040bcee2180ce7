import type { RecordFormat } from '../../../src/log/record-format.js'
import type { FoundRecord } from '../../support/ledger.js'
import type { Content } from './content.js'

/** What one writer asked for at once: records that follow one another, and what became of them. */
export interface Sent {
  readonly writer: number
  readonly partition: PartitionLedger
  /** The number of its first record among the writer's. */
  readonly first: number
  readonly count: number
  /** Of its records as they are stored, or a little more. */
  readonly bytes: number
  /** An idempotent producer's number of the first. */
  readonly sequence: number
  /** Where its first record is; null: not known. */
  base: number | null
  answered: boolean
  /** So many of its records were there behind the last start: no more of them may come, and none may go. */
  kept: number | null
}

/** What is wrong with a log; the records that were acknowledged and are gone, by writer. */
export interface Verdict {
  readonly wrong: string[]
  readonly lost: Map<number, number>
}

/** What is known of the records of one writer. */
export interface SentBy {
  /** The request that has its record of this number. */
  sentAs(sequence: number): Sent | undefined
  keyOf(sequence: number): Buffer
  valueOf(sequence: number): Buffer | null
}

/** What there is of a partition. */
export interface FoundLog {
  readonly start: number
  readonly end: number
  /** All of them. */
  readonly records: readonly FoundRecord[]
}

/** What a log is held against. */
export interface SettlingContext {
  readonly content: Content
  readonly writers: readonly SentBy[]
}

/** What was sent to one partition, and what of it was acknowledged. */
export class PartitionLedger {
  readonly topic: string
  readonly partition: number
  readonly format: RecordFormat
  /** Offsets below it were acknowledged, or found behind a start. */
  end = 0
  protected sent: Sent[] = []

  constructor(topic: string, partition: number, format: RecordFormat) {
    this.topic = topic
    this.partition = partition
    this.format = format
  }

  get name(): string {
    return `${this.topic}-${this.partition}`
  }

  send(request: Sent): void {
    this.sent.push(request)
  }

  /** No fewer bytes than were ever in the log from an offset on. */
  bytesFrom(offset: number): number {
    let bytes = 0
    for (const { base, count, ...sent } of this.sent) if (base === null || base + count > offset) bytes += sent.bytes
    return bytes
  }

  /** Takes the answer; returns what it contradicts. */
  answered(request: Sent, base: number): string | null {
    const known = request.base
    request.base = base
    request.answered = true
    this.end = Math.max(this.end, base + request.count)
    if (known === null || known === base) return null
    return `${describe(request)} was at ${known}, and is said to be at ${base}`
  }

  /** Holds what there is against what was sent, and takes it for what is from then on. */
  settle(found: FoundLog, context: SettlingContext): Verdict {
    const { start } = found
    const { wrong, ends } = this.#walk(found, context)
    const lost = new Map<number, number>()
    for (const request of this.sent) {
      const { base, kept, count, answered, writer } = request
      const end = ends.get(request) ?? 0
      // What lies below the log start was deleted.
      const deleted = base === null ? 0 : Math.min(count, Math.max(0, start - base))
      const there = Math.max(end, deleted)
      if (kept !== null && there < kept)
        wrong.push(`${describe(request)}: of the ${kept} records that a start found ${there} are left`)
      if (kept === null && answered && there < count) lost.set(writer, (lost.get(writer) ?? 0) + count - there)
      if (this.format === 'kafka' && there > 0 && there < count)
        wrong.push(`${describe(request)}: ${there} records of a batch of ${count}`)
      request.kept = there
    }
    // What is gone is known by its writer, should it come back.
    this.sent = this.sent.filter(({ kept }) => kept !== 0)
    this.end = found.end
    return { wrong, lost }
  }

  #walk({ start, end, records }: FoundLog, { content, writers }: SettlingContext) {
    const wrong: string[] = []
    const ends = new Map<Sent, number>()
    const latest = new Map<number, number>()
    for (const [index, { offset, key, value }] of records.entries()) {
      const where = `${this.name}/${offset}`
      if (offset !== start + index) {
        wrong.push(`${where} follows ${start + index - 1}`)
        break
      }
      const id = value === null ? null : content.identify(value)
      const by = id === null ? undefined : writers[id.writer]
      const request = id === null ? undefined : by?.sentAs(id.sequence)
      if (id === null || by === undefined || request?.partition !== this) {
        wrong.push(`${where} was never sent there: ${value?.subarray(0, 24).toString('hex')}`)
        continue
      }
      if (!isSame(key, by.keyOf(id.sequence)) || !isSame(value, by.valueOf(id.sequence)))
        wrong.push(`${where} is not as it was sent`)
      const { writer, sequence } = id
      if (sequence <= (latest.get(writer) ?? -1))
        wrong.push(`${where}: ${writer}.${sequence} is behind ${latest.get(writer)}`)
      latest.set(writer, sequence)
      const place = sequence - request.first
      request.base ??= offset - place
      if (request.base !== offset - place) wrong.push(`${where}: ${describe(request)} is at ${request.base}`)
      if (request.kept !== null && place >= request.kept)
        wrong.push(`${where}: ${writer}.${sequence} was gone, and is back`)
      ends.set(request, place + 1)
    }
    if (start + records.length !== end)
      wrong.push(`${this.name} ends at ${end}, and has ${records.length} records from ${start} on`)
    return { wrong, ends }
  }
}

/** Whether a field is as it was sent. */
export function isSame(found: Buffer | null, sent: Buffer | null): boolean {
  return sent === null ? found === null : found?.equals(sent) === true
}

/** In a failure. */
export function describe({ writer, first, count, partition, answered }: Sent): string {
  return `${answered ? '' : 'unacknowledged '}${writer}.${first}+${count} in ${partition.name}`
}
