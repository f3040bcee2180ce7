import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type GroupableSegment,
  groupSegments,
  type TombstoneAge,
} from '../../../../src/log/compaction/segment-groups.js'

const limits = { segmentBytes: 1000, indexBytes: 100 }

function segments(...given: { bytes?: number; indexBytes?: number; offsets?: number; tombstones?: TombstoneAge }[]) {
  let baseOffset = 0
  return given.map(({ bytes = 100, indexBytes = 1, offsets = 10, tombstones = 'fresh' }): GroupableSegment => {
    const segment = { baseOffset, endOffset: baseOffset + offsets, bytes, indexBytes, tombstones }
    baseOffset += offsets
    return segment
  })
}

const sizes = (given: GroupableSegment[]): number[] =>
  groupSegments(given, limits).map((group) => group.segments.length)

describe('the grouping of segments', () => {
  it('takes neighbours together while they fit one segment', () => {
    expect(sizes(segments({ bytes: 400 }, { bytes: 600 }, { bytes: 1 }))).toEqual([2, 1])
  })

  it('leaves a segment alone that is too large by itself', () => {
    expect(sizes(segments({ bytes: 5000 }, { bytes: 1 }, { bytes: 1 }))).toEqual([1, 2])
  })

  it('heeds the index', () => {
    expect(sizes(segments({ indexBytes: 60 }, { indexBytes: 60 }, { indexBytes: 40 }))).toEqual([1, 2])
  })

  it('heeds the range of relative offsets', () => {
    expect(sizes(segments({ offsets: 2 ** 30 }, { offsets: 2 ** 30 - 1 }, { offsets: 1 }))).toEqual([2, 1])
  })

  it('puts tombstones together only where their time began together', () => {
    const groups = groupSegments(
      segments({ tombstones: 5 }, { tombstones: 5 }, { tombstones: 7 }, { tombstones: 'fresh' }),
      limits,
    )
    expect(groups.map(({ segments: { length }, cleanedAt }) => [length, cleanedAt])).toEqual([
      [2, 5],
      [1, 7],
      [1, null],
    ])
  })

  it('puts segments whose tombstones go to any others', () => {
    const groups = groupSegments(
      segments({ tombstones: 'over' }, { tombstones: 5 }, { tombstones: 'over' }, { tombstones: 'fresh' }),
      limits,
    )
    expect(groups.map(({ segments: { length }, cleanedAt }) => [length, cleanedAt])).toEqual([
      [3, 5],
      [1, null],
    ])
  })

  it('has nothing to group', () => {
    expect(groupSegments([], limits)).toEqual([])
  })

  it('keeps every segment once and in order, and no group of several is too large', () => {
    const one = fc.record({
      bytes: fc.integer({ min: 0, max: 1500 }),
      indexBytes: fc.integer({ min: 0, max: 150 }),
      offsets: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      tombstones: fc.constantFrom<TombstoneAge>('fresh', 'over', 5, 7),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), (given) => {
        const all = segments(...given)
        const groups = groupSegments(all, limits)
        expect(groups.flatMap((group) => group.segments)).toEqual(all)
        for (const { segments: some, cleanedAt } of groups) {
          const ages = new Set(some.map(({ tombstones }) => tombstones).filter((age) => age !== 'over'))
          expect(ages.size).toBeLessThan(2)
          expect(cleanedAt).toBe([...ages].find((age) => age !== 'fresh') ?? null)
          if (some.length === 1) continue
          const sum = (field: 'bytes' | 'indexBytes') => some.reduce((total, segment) => total + segment[field], 0)
          expect(sum('bytes')).toBeLessThanOrEqual(limits.segmentBytes)
          expect(sum('indexBytes')).toBeLessThanOrEqual(limits.indexBytes)
          expect((some.at(-1)?.endOffset ?? 0) - (some[0]?.baseOffset ?? 0)).toBeLessThan(2 ** 31)
        }
      }),
    )
  })
})
