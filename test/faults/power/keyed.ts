import { type FoundLog, isSame, PartitionLedger, type SettlingContext, type Verdict } from './partition-ledger.js'
import { Writer } from './writer.js'

const KEYS = 12
const TOMBSTONE_EVERY = 11

/** A writer whose keys are few and its own: what comes behind what of each of them is known. Now and then one is deleted. */
export class KeyedWriter extends Writer {
  override keyOf(sequence: number): Buffer {
    return Buffer.from(`${this.number}-${(sequence * 7) % KEYS}`)
  }

  override valueOf(sequence: number): Buffer | null {
    return sequence % TOMBSTONE_EVERY === 0 ? null : super.valueOf(sequence)
  }

  /** Which of its tombstones of a key one is that is found at an offset, behind another record of the key. */
  tombstoneAt(key: string, offset: number, behind: number): number | null {
    const first = Math.floor(behind / TOMBSTONE_EVERY + 1) * TOMBSTONE_EVERY
    let unanswered: number | null = null
    for (let sequence = first; ; sequence += TOMBSTONE_EVERY) {
      const request = this.sentAs(sequence)
      if (request === undefined) return unanswered
      if (`${this.keyOf(sequence)}` !== key) continue
      if (request.base === offset - (sequence - request.first)) return sequence
      // One that a start did not find is not there.
      if (request.base === null && request.kept === null) unanswered ??= sequence
    }
  }
}

/** A compacted partition, which {@link KeyedWriter}s write to: of each key the last record is there. */
export class KeyedLedger extends PartitionLedger {
  /** By key, the number of the record that the last start found. */
  #settled = new Map<string, number>()

  override settle({ end, records }: FoundLog, { content, writers }: SettlingContext): Verdict {
    const wrong: string[] = []
    const latest = new Map<string, number>()
    const seen = new Set<unknown>()
    let before = -1
    for (const { offset, key, value } of records) {
      const where = `${this.name}/${offset}`
      if (offset <= before || offset >= end) wrong.push(`${where} is behind ${before}, before the end ${end}`)
      before = offset
      const name = String(key)
      const writer = writers[Number(name.split('-')[0])]
      const last = latest.get(name) ?? -1
      if (!(writer instanceof KeyedWriter)) {
        wrong.push(`${where} was never sent there: ${name}`)
        continue
      }
      const id = value === null ? null : content.identify(value)
      const sequence = value === null ? writer.tombstoneAt(name, offset, last) : id?.sequence
      const request = writer.sentAs(sequence ?? -1)
      if (sequence == null || request?.partition !== this || (id !== null && id?.writer !== writer.number)) {
        wrong.push(`${where} was never sent there: ${name}`)
        continue
      }
      if (!isSame(key, writer.keyOf(sequence)) || !isSame(value, writer.valueOf(sequence))) {
        wrong.push(`${where} is not as it was sent`)
      }
      if (sequence <= last) wrong.push(`${where}: ${name} has ${sequence} behind ${last}`)
      latest.set(name, sequence)
      const base = offset - (sequence - request.first)
      request.base ??= base
      if (request.base !== base)
        wrong.push(`${where}: ${name} ${sequence} was acknowledged for a log from ${request.base} on`)
      seen.add(request)
    }
    for (const [name, sequence] of this.#settled) {
      const now = latest.get(name) ?? -1
      if (now < sequence) wrong.push(`${this.name}: of ${name} a start found ${sequence}, now there is ${now}`)
    }
    const lost = new Map<number, number>()
    for (const request of this.sent) {
      const { writer: number, first, count, answered } = request
      const writer = writers[number]
      let gone = 0
      for (let sequence = first; answered && sequence < first + count; sequence++) {
        if ((latest.get(`${writer?.keyOf(sequence)}`) ?? -1) < sequence) gone++
      }
      if (gone > 0) lost.set(number, (lost.get(number) ?? 0) + gone)
      request.kept = answered || seen.has(request) ? count : 0
    }
    this.sent = []
    this.#settled = latest
    this.end = end
    return { wrong, lost }
  }
}
