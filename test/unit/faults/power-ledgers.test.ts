/** What the harness of test/faults/power holds a log against: each thing that can be wrong with one is noticed. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Content } from '../../faults/power/content.js'
import { KeyedLedger, KeyedWriter } from '../../faults/power/keyed.js'
import { PartitionLedger, type Verdict } from '../../faults/power/partition-ledger.js'
import { Writer, type WritingContext } from '../../faults/power/writer.js'
import type { FoundRecord } from '../../support/ledger.js'
import { seededRandom } from '../../support/seeded-random.js'

const context: WritingContext = { content: new Content(7), fsync: 'acks', producerIds: new Set(), wrong: [] }

/** Requests without a broker. */
class TestWriter extends Writer {
  request = () => this.next()
}
class TestKeyedWriter extends KeyedWriter {
  request = () => this.next()
}

let ledger: PartitionLedger
let writer: TestWriter
let log: FoundRecord[]

const options = (partition: PartitionLedger) => {
  return {
    number: 0,
    wire: 'Kafka' as const,
    acks: 1 as const,
    idempotent: false,
    partitions: [partition],
    inFlight: 1,
  }
}

/** What a writer sent, as a log has it. */
function stored(by: TestWriter | TestKeyedWriter, { first, count }: { first: number; count: number }, base: number) {
  return Array.from({ length: count }, (_, index) => {
    return { offset: base + index, key: by.keyOf(first + index), value: by.valueOf(first + index) }
  })
}

function settle(records: readonly FoundRecord[] = log, start = 0): Verdict {
  const end = (records.at(-1)?.offset ?? start - 1) + 1
  return ledger.settle({ start, end, records }, { content: context.content, writers: [writer] })
}

beforeEach(() => {
  ledger = new PartitionLedger('t', 0, 'mykafka')
  writer = new TestWriter(options(ledger), context, seededRandom(1))
  log = []
  for (let i = 0; i < 4; i++) {
    const request = writer.request()
    const base = log.length
    log.push(...stored(writer, request, base))
    ledger.answered(request, base)
  }
})

describe('a log that is as it was acknowledged', () => {
  it('is right, again and again', () => {
    for (let i = 0; i < 3; i++) expect(settle()).toEqual({ wrong: [], lost: new Map() })
  })

  it('may have what was sent and not acknowledged, and a beginning of it', () => {
    const request = writer.request()
    log.push(...stored(writer, request, log.length).slice(0, 1))
    expect(settle()).toEqual({ wrong: [], lost: new Map() })
  })

  it('may begin later, where records were deleted', () => {
    expect(settle(log.slice(5), 5)).toEqual({ wrong: [], lost: new Map() })
  })
})

describe('it is noticed', () => {
  const wrong = (): string => settle().wrong.join('\n')

  it('that acknowledged records are gone', () => {
    log.splice(-2)
    expect(settle()).toEqual({ wrong: [], lost: new Map([[0, 2]]) })
  })

  it('that records are gone which a start had found', () => {
    settle()
    log.pop()
    expect(wrong()).toContain('records that a start found')
  })

  it('that what was gone is back', () => {
    const last = log.pop() as FoundRecord
    settle()
    log.push(last)
    expect(wrong()).toContain('was gone, and is back')
  })

  it('that a byte is another one', () => {
    const record = log[3] as FoundRecord
    const value = Buffer.from(record.value as Buffer)
    value[value.length - 1] = (value.at(-1) as number) ^ 1
    log[3] = { ...record, value }
    expect(wrong()).toContain('t-0/3 is not as it was sent')
  })

  it('that a record was never sent', () => {
    log[3] = { ...(log[3] as FoundRecord), value: Buffer.from('what nobody ever sent') }
    expect(wrong()).toContain('t-0/3 was never sent there')
  })

  it('that a record is there twice', () => {
    log.push({ ...(log.at(-1) as FoundRecord), offset: log.length })
    expect(wrong()).toContain('is behind')
  })

  it('that an offset is missing', () => {
    log.splice(3, 1)
    expect(wrong()).toContain('t-0/4 follows 2')
  })

  it('that two records have changed places', () => {
    const [one, other] = [log[2], log[3]] as [FoundRecord, FoundRecord]
    log.splice(2, 2, { ...other, offset: 2 }, { ...one, offset: 3 })
    expect(wrong()).toContain('is behind')
  })

  it('that a record is at another offset than was acknowledged', () => {
    const extra = writer.request()
    log = [...stored(writer, extra, 0), ...log.map((record) => ({ ...record, offset: record.offset + extra.count }))]
    expect(wrong()).toContain('is at 0')
  })

  it('that the answer to what is sent again names another place', () => {
    const request = writer.request()
    const base = log.length
    log.push(...stored(writer, request, base))
    settle()
    expect(ledger.answered(request, base + 1)).toContain(`was at ${base}, and is said to be at ${base + 1}`)
  })

  it('that a batch of a kafka topic is there in part', () => {
    ledger = new PartitionLedger('k', 0, 'kafka')
    writer = new TestWriter(options(ledger), context, seededRandom(4))
    const request = writer.request()
    log = stored(writer, request, 0).slice(0, 1)
    expect(request.count).toBeGreaterThan(1)
    expect(wrong()).toContain('1 records of a batch of')
  })
})

describe('of a compacted log', () => {
  let keyed: KeyedLedger
  let byKey: TestKeyedWriter

  const settleKeyed = (records: readonly FoundRecord[], end: number): Verdict =>
    keyed.settle({ start: 0, end, records }, { content: context.content, writers: [byKey] })

  /** The last record of each key. */
  const compacted = (): FoundRecord[] =>
    log.filter(({ key }, at) => !log.slice(at + 1).some((later) => String(later.key) === String(key)))

  beforeEach(() => {
    keyed = new KeyedLedger('c', 0, 'mykafka')
    byKey = new TestKeyedWriter(options(keyed), context, seededRandom(2))
    log = []
    for (let i = 0; i < 10; i++) {
      const request = byKey.request()
      const base = log.length
      log.push(...stored(byKey, request, base))
      keyed.answered(request, base)
    }
  })

  it('all of it is right, and the last record of each key', () => {
    for (const records of [log, compacted(), compacted()]) {
      expect(settleKeyed(records, log.length)).toEqual({ wrong: [], lost: new Map() })
    }
  })

  it('a key whose last record is gone is noticed', () => {
    const last = compacted().pop() as FoundRecord
    const without = log.filter((record) => record !== last)
    expect(settleKeyed(without, log.length).lost).toEqual(new Map([[0, 1]]))
    settleKeyed(log, log.length)
  })

  it('a key that goes back behind a start is noticed', () => {
    settleKeyed(log, log.length)
    const last = compacted().pop()
    const without = log.filter((record) => record !== last)
    expect(settleKeyed(without, log.length).wrong.join()).toContain('a start found')
  })

  it('a tombstone is not taken for one that was never written', () => {
    // A whole request of each key, unanswered and not there; then one that is.
    for (let i = 0; i < 30; i++) byKey.request()
    settleKeyed(log, log.length)
    for (let i = 0; i < 30; i++) {
      const request = byKey.request()
      const base = log.length
      log.push(...stored(byKey, request, base))
      keyed.answered(request, base)
    }
    expect(settleKeyed(compacted(), log.length)).toEqual({ wrong: [], lost: new Map() })
  })

  it('a record that is there twice is noticed', () => {
    const last = log.at(-1) as FoundRecord
    const twice = [...log, { ...last, offset: last.offset + 1 }]
    expect(settleKeyed(twice, twice.length).wrong).not.toEqual([])
  })
})
