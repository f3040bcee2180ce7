import { expect, it } from 'vitest'
import type { Row } from '../faults/harness.js'
import { addRows, mergeRun, type RecordedRun } from '../faults/report.js'

const row = (mode: string, rounds: number, lost = 0): Row => ({
  ...{ fault: 'power loss', mode, promised: mode === 'acks=all' },
  ...{ rounds, acknowledged: rounds * 10, lost, wrong: 0 },
})

const run = (seed: number, rounds: number, commit = 'abc'): RecordedRun => ({
  ...{ date: '2026-11-30', commit, seed, rounds },
  rows: [row('acks=all', rounds)],
})

it('rows of one fault and mode are added up', () => {
  expect(addRows([row('acks=1', 2, 5), row('acks=all', 2), row('acks=1', 3, 1)])).toEqual([
    row('acks=1', 5, 6),
    row('acks=all', 5 - 3),
  ])
})

it('rounds that go on where others ended, on the same sources, are one run with them', () => {
  expect(mergeRun([run(100, 10)], run(110, 5))).toEqual([run(100, 15)])
  expect(mergeRun([run(100, 10)], run(110, 5, 'def'))).toEqual([run(100, 10), run(110, 5, 'def')])
  expect(mergeRun([run(100, 10)], run(20, 5))).toEqual([run(20, 5), run(100, 10)])
})

it('the same seeds again take the place of what they had, and none counts twice', () => {
  expect(mergeRun([run(100, 10), run(200, 1)], run(100, 10, 'def'))).toEqual([run(100, 10, 'def'), run(200, 1)])
  expect(() => mergeRun([run(100, 10)], run(109, 5))).toThrow('10 rounds from the seed 100 on')
  expect(() => mergeRun([run(100, 10)], run(95, 6))).toThrow('10 rounds')
})
