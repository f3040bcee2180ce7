/** Histories written by hand: each kind of violation is found, and none where there is none. */
import { describe, expect, it } from 'vitest'
import { check, show } from '../../faults/history/checker.js'
import type { Line } from '../../faults/history/format.js'

const ON = 't/0'

type Loose = Partial<Omit<Line, 'op'>> & Record<string, unknown>

/** One line; the call lasts from `begin` to a tick behind it unless it says otherwise. */
function line(op: Line['op'], begin: number, rest: Loose = {}): Line {
  const end = rest.result === 'unknown' ? null : begin + 1
  return { on: ON, op, begin, end, result: 'ok', ...rest } as unknown as Line
}

/** A request of one producer, whose records are named by their digests; a digest `k=v` has the key `k`. */
function produce(begin: number, digests: string, offset: number | null, rest: Loose = {}): Line {
  const records = digests.split(' ').map((digest) => [digest, /[=~]/.test(digest) ? (digest[0] as string) : null])
  const fields = { acks: 1, stream: `${begin}`, n: begin, idempotent: false, retries: false, records }
  const answer: Loose = offset === null ? { result: 'unknown' } : { offset }
  return line('produce', begin, { ...fields, ...answer, ...rest })
}

/** A read from an offset on; `_` is an offset that is missing. */
function fetch(begin: number, from: number, digests: string, rest: Loose = {}): Line {
  const all = digests === '' ? [] : digests.split(' ').map((digest, at) => [from + at, digest] as const)
  const records = all.filter(([, digest]) => digest !== '_')
  return line('fetch', begin, { reader: `reader ${begin}`, from, records, ...rest })
}

function ends(begin: number, logStart: number, logEnd: number): Line {
  return line('ends', begin, { logStart, logEnd })
}

const made = (cleanup: string): Line => line('made', 0, { cleanup })
const powerLoss = (begin: number): Line => line('fault', begin, { on: '*', fault: 'power', loses: 'unsynced' })

async function verdictOf(...lines: Line[]) {
  return await check([{ name: 'history.jsonl', lines: () => lines.map((each) => JSON.stringify(each)) }])
}

/** The kinds that are found, each once. */
async function kindsOf(...lines: Line[]): Promise<string[]> {
  const { violations } = await verdictOf(...lines)
  return [...new Set(violations.map(({ kind }) => kind))].sort()
}

describe('a history that holds together', () => {
  it('is one of records that are where they were acknowledged, in any order of the files', async () => {
    const lines = [
      fetch(90, 0, 'a b c d', { logEnd: 4 }),
      produce(10, 'a b', 0),
      produce(20, 'c', 2, { acks: -1 }),
      produce(21, 'd', null),
      produce(22, 'e', null),
      produce(23, 'f', null, { result: 'no', end: 24 }),
      ends(95, 0, 4),
    ]
    const verdict = await verdictOf(...lines)
    expect(verdict.violations).toEqual([])
    expect(Object.fromEntries(verdict.counts)).toEqual({
      'acks=1': { acknowledged: 2, lost: 0 },
      'acks=all': { acknowledged: 1, lost: 0 },
    })
  })

  it('may have a record twice that was sent again without idempotence', async () => {
    const again = produce(10, 'a b', 3, { retries: true })
    const { violations, duplicates } = await verdictOf(again, produce(11, 'c', 2), fetch(90, 0, 'a b c a b'))
    expect(violations).toEqual([])
    expect(duplicates).toBe(2)
  })

  it('may give overlapping requests any order, and have what was trimmed gone', async () => {
    const trim = line('trim', 50, { to: 1 })
    expect(
      await kindsOf(produce(10, 'a', 1, { end: 30 }), produce(20, 'b', 0), trim, fetch(90, 1, 'a'), ends(95, 1, 2)),
    ).toEqual([])
  })

  it('may have older records of a key gone from a compacted log, and tombstones like one another', async () => {
    const lines = [produce(10, 'k=1 l=1', 0), produce(20, 'k~', 2), produce(30, 'k~', 3), produce(40, 'k=2', 4)]
    expect(await kindsOf(made('compact'), ...lines, fetch(60, 0, '_ l=1 k~ k~ k=2'))).toEqual([])
    expect(await kindsOf(made('compact'), ...lines, fetch(60, 0, '_ l=1 _ _ k=2'))).toEqual([])
  })

  it('may have batches without records in a compacted log, and a reader goes on behind them', async () => {
    const lines = [made('compact'), produce(10, 'k=1', 0), produce(20, 'k=2', 1), produce(30, 'l=1', 2)]
    expect(await kindsOf(...lines, fetch(60, 0, '', { next: 1 }), fetch(70, 1, 'k=2 l=1'))).toEqual([])
  })

  it('may lose behind power loss what was not synced, from one offset on', async () => {
    const lines = [produce(10, 'a', 0, { acks: -1 }), produce(20, 'b c', 1), fetch(30, 0, 'a b c'), powerLoss(50)]
    const { violations, counts } = await verdictOf(...lines, produce(60, 'd', 2), fetch(90, 0, 'a b d'))
    expect(violations).toEqual([])
    expect(counts.get('acks=1')).toEqual({ acknowledged: 3, lost: 1 })
  })
})

describe('what is found of records', () => {
  it.each<[string, Line[]]>([
    ['lost', [produce(10, 'a', 0), fetch(90, 0, '')]],
    ['lost', [made('delete'), produce(10, 'a', 5)]],
    ['lost', [produce(10, 'a b', 0), fetch(90, 1, 'b'), ends(95, 1, 2)]],
    ['lost', [made('compact'), produce(10, 'k=1', 0), produce(20, 'k=2 l=1', 1), fetch(90, 0, '_ _ l=1')]],
    ['altered', [produce(10, 'a', 0), produce(11, 'b', 1), fetch(90, 0, 'a b'), fetch(91, 1, 'c')]],
    ['never sent', [fetch(90, 0, 'a')]],
    ['refused', [produce(10, 'a', null, { result: 'no' }), fetch(90, 0, 'a')]],
    ['twice', [produce(10, 'a', 0), fetch(90, 0, 'a a')]],
    ['twice', [produce(10, 'a', null), fetch(90, 0, 'a a')]],
    ['twice', [produce(10, 'a', 0, { idempotent: true, retries: true }), fetch(90, 0, 'a a')]],
    [
      'order',
      [produce(10, 'a', 1, { stream: 's', end: 80 }), produce(11, 'b', 0, { stream: 's' }), fetch(90, 0, 'b a')],
    ],
    ['order', [produce(10, 'a b', null, { idempotent: true }), fetch(90, 0, 'b a')]],
    ['real time', [produce(10, 'a', 1), produce(20, 'b', 0), fetch(90, 0, 'b a')]],
    ['real time', [produce(10, 'b', 1), produce(20, 'a', null), fetch(90, 0, 'a b')]],
    ['gap', [produce(10, 'a b c', 0), fetch(80, 0, 'a b c'), fetch(90, 0, 'a _ c')]],
    ['gap', [made('compact'), produce(10, 'k=1 l=1', 0), fetch(80, 0, 'k=1 l=1'), fetch(90, 0, '_ l=1')]],
    [
      'went back',
      [
        produce(10, 'a', 0),
        fetch(80, 0, 'a'),
        line('fetch', 90, { from: 0, result: 'no', why: 'OFFSET_OUT_OF_RANGE' }),
      ],
    ],
    ['went back', [produce(10, 'a', 0), fetch(20, 0, 'a'), ends(30, 0, 0)]],
    ['went back', [produce(10, 'a b', 0), fetch(20, 0, 'a b'), fetch(90, 0, 'a'), fetch(91, 1, '')]],
    ['went back', [produce(10, 'a', 0), fetch(20, 0, ''), fetch(30, 0, 'a')]],
    ['went back', [produce(10, 'a b', 0), line('trim', 20, { to: 1 }), ends(30, 0, 2), fetch(90, 1, 'b')]],
    ['went back', [produce(10, 'a b', 0), line('trim', 20, { to: 1 }), fetch(90, 0, 'a b')]],
    ['read back', [produce(10, 'a b', 0), fetch(20, 0, 'a b', { reader: 'r' }), fetch(30, 1, 'b', { reader: 'r' })]],
    ['error', [line('fetch', 10, { from: 0, result: 'no', why: 'CORRUPT_MESSAGE' })]],
  ])('%s', async (kind, lines) => {
    expect(await kindsOf(...lines)).toContain(kind)
  })

  it('what was synced is lost behind power loss, and what outlived a cut below it', async () => {
    const synced = [produce(10, 'a', 0, { acks: -1 }), powerLoss(50)]
    expect(await kindsOf(...synced, fetch(90, 0, ''))).toEqual(['lost', 'went back'])
    expect(await kindsOf(...synced, produce(60, 'b', 0), fetch(90, 0, 'b'))).toContain('altered')
    const unsynced = [produce(10, 'a b', 0), fetch(20, 0, 'a b'), powerLoss(50), produce(60, 'c', null)]
    expect(await kindsOf(...unsynced, fetch(90, 0, 'c b'))).toContain('altered')
  })
})

describe('what is found of groups', () => {
  const records = [produce(1, 'a b c', 0), fetch(2, 0, 'a b c', { group: 'g' }), ends(99, 0, 3)]
  const commit = (begin: number, offset: number, rest: Loose = {}) =>
    line('commit', begin, { group: 'g', offset, ...rest })
  const read = (begin: number, offset: number | null) => line('committed', begin, { group: 'g', offset })
  const own = (begin: number, member: string, generation: number) =>
    line('own', begin, { group: 'g', member, generation })

  it('nothing where each read has the last commit, one under way, or one that was not answered', async () => {
    const lines = [commit(10, 1), read(20, 1), commit(30, 2, { result: 'unknown' }), read(40, 1), read(50, 2)]
    expect(await kindsOf(...records, read(9, null), ...lines, commit(60, 3, { end: 80 }), read(61, 3))).toEqual([])
    expect(await kindsOf(...records, own(3, 'm', 1), commit(10, 1, { generation: 1 }), own(20, 'n', 2))).toEqual([])
  })

  it.each<[string, Line[]]>([
    ['commit', [commit(10, 1), read(20, null)]],
    ['commit', [commit(10, 1), commit(20, 2), read(30, 1)]],
    ['commit', [commit(10, 1), read(20, 3)]],
    ['commit', [commit(10, 1, { result: 'no' }), read(20, 1)]],
    [
      'commit',
      [commit(10, 1, { result: 'unknown' }), commit(11, 2, { end: 80 }), read(20, 1), read(30, 2), read(40, null)],
    ],
    ['went back', [commit(10, 4), read(20, 4)]],
    ['skipped', [commit(10, 4)]],
    ['owners', [own(10, 'm', 1), own(11, 'n', 1)]],
    ['owners', [own(10, 'm', 1), own(20, 'n', 2), commit(30, 1, { generation: 1 })]],
  ])('%s', async (kind, lines) => {
    expect(await kindsOf(...records, ...lines)).toEqual(kind === 'went back' ? ['skipped', kind] : [kind])
  })
})

it('says which lines show a violation', async () => {
  const lines = [produce(10, 'a', 0), fetch(90, 0, 'a a')].map((each) => JSON.stringify(each))
  const sources = [{ name: 'one.jsonl', lines: () => lines }]
  const [violation] = (await check(sources)).violations
  const shown = await show(violation as NonNullable<typeof violation>, sources)
  expect(shown).toContain('t/0: twice: a is at 0, 1')
  expect(shown).toContain(`one.jsonl:1  ${lines[0]}`)
})

it('takes the partitions a few at a time', async () => {
  const lines = ['t/0', 't/1', 'u/0'].map((on, at) => JSON.stringify({ ...produce(10 + at, 'a', 0), on }))
  const { partitions, violations } = await check([{ name: 'h', lines: () => lines }], { atOnce: 1 })
  expect(partitions).toBe(3)
  expect(violations.map(({ on, kind }) => `${on} ${kind}`)).toEqual(['t/0 lost', 't/1 lost', 'u/0 lost'])
})
