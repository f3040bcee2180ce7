import { MyKafkaError } from '../../src/client/index.js'
import type { Random } from './random.js'

/** A record of a log, read by whatever means. */
export interface FoundRecord {
  readonly offset: number
  readonly key: Buffer | null
  readonly value: Buffer | null
}

/** Mixed: most records are small, some are larger than a segment. Large: a crash is likely to tear a write. */
export type Load = 'mixed' | 'large'

/** One PRODUCE, and what became of it. */
export interface SentRequest {
  readonly id: number
  readonly producer: number
  readonly partition: number
  readonly records: readonly { key: Buffer; value: Buffer | null }[]
  /** null: not acknowledged. */
  baseOffset: number | null
  /** The broker said that nothing of it was written. */
  refused: boolean
}

/**
 * What was sent to a broker and what of it was acknowledged. A log is held against it: each record's key says which
 * request it is of, and the how-manieth record of that.
 */
export class Ledger {
  readonly requests: SentRequest[] = []

  /** Makes a request of random records. */
  request(random: Random, producer: number, partition: number, load: Load = 'mixed'): SentRequest {
    const id = this.requests.length
    const records = Array.from({ length: random.integer(1, load === 'mixed' ? 12 : 4) }, (_, index) => ({
      key: Buffer.from(`${id}.${index}`),
      value: random.next() < 0.05 ? null : random.bytes(valueLength(random, load)),
    }))
    const request = { id, producer, partition, records, baseOffset: null, refused: false }
    this.requests.push(request)
    return request
  }

  get acknowledged(): number {
    return this.requests.reduce((sum, { baseOffset }) => sum + (baseOffset === null ? 0 : 1), 0)
  }

  /**
   * Everything that contradicts this account in a partition's log: a record that is missing, elsewhere, altered,
   * there twice, out of order or never sent.
   */
  contradictions(partition: number, log: readonly FoundRecord[]): string[] {
    const wrong: string[] = []
    const found = new Set<number>()
    const latest = new Map<number, number>()
    for (let at = 0; at < log.length; ) {
      const [id, index] = String(log[at]?.key).split('.').map(Number)
      const request = this.requests[id ?? -1]
      if (request === undefined || request.partition !== partition || index !== 0 || found.has(request.id)) {
        wrong.push(`${partition}/${at} bears ${log[at]?.key}, where no request can begin`)
        break
      }
      found.add(request.id)
      if (request.refused) wrong.push(`request ${id} was refused, and is at ${partition}/${at}`)
      if (request.id < (latest.get(request.producer) ?? -1)) wrong.push(`request ${id} is behind a later one`)
      latest.set(request.producer, request.id)
      if (request.baseOffset !== null && request.baseOffset !== at) {
        wrong.push(`request ${id} was acknowledged at ${partition}/${request.baseOffset}, it is at ${at}`)
      }
      const end = at + wholeRecords(request, log, at)
      if (end === at) wrong.push(`${partition}/${at} is not as it was sent`)
      // A crash may leave a beginning of what it interrupted, but not of what was acknowledged.
      if (end - at < request.records.length && request.baseOffset !== null) wrong.push(`request ${id} is cut off`)
      at = Math.max(end, at + 1)
    }
    for (const { id, baseOffset, partition: of } of this.requests) {
      if (of === partition && baseOffset !== null && !found.has(id)) wrong.push(`request ${id} is missing`)
    }
    return wrong
  }
}

/** How many records of the request are at this place of the log as they were sent. */
function wholeRecords(request: SentRequest, log: readonly FoundRecord[], at: number): number {
  const differs = request.records.findIndex(({ key, value }, index) => {
    const record = log[at + index]
    if (record === undefined || record.offset !== at + index || record.key?.equals(key) !== true) return true
    return value === null ? record.value !== null : record.value?.equals(value) !== true
  })
  return differs < 0 ? request.records.length : differs
}

function valueLength(random: Random, load: Load): number {
  if (load === 'large') return random.integer(50_000, 600_000)
  const kind = random.next()
  if (kind < 0.9) return random.integer(0, 400)
  if (kind < 0.99) return random.integer(400, 20_000)
  return random.integer(200_000, 400_000)
}

/** Whether this is how a call ends whose broker is killed. */
export function isLostConnection(error: unknown): boolean {
  return error instanceof MyKafkaError && ['CONNECTION_CLOSED', 'NETWORK_EXCEPTION'].includes(error.code)
}
