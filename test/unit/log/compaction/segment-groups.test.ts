import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type GroupableSegment,
  SegmentGroup,
  type TombstoneAge,
} from '../../../../src/log/compaction/segment-groups.js'
import { share } from '../../../support/share.js'

const LIMITS = { segmentBytes: 1000, segmentIndexBytes: 800, indexIntervalBytes: 28, ageSpanMs: 10 }

interface Given {
  bytes?: number
  offsets?: number
  tombstones?: TombstoneAge
}

function segments(...given: Given[]) {
  let baseOffset = 0
  return given.map(({ bytes = 100, offsets = 10, tombstones = 95 }): GroupableSegment => {
    const segment = { baseOffset, endOffset: baseOffset + offsets, bytes, tombstones }
    baseOffset += offsets
    return segment
  })
}

/** The groups where such a part of each segment is left. */
function groups(all: readonly GroupableSegment[], left = 1, limits = LIMITS): SegmentGroup<GroupableSegment>[] {
  const made: SegmentGroup<GroupableSegment>[] = []
  let written = 0
  for (const segment of all) {
    const group = made.at(-1)
    if (group?.takes(segment, written)) {
      group.add(segment)
    } else {
      made.push(new SegmentGroup(limits, segment))
      written = 0
    }
    written += segment.bytes * left
  }
  return made
}

const sizes = (...args: Parameters<typeof groups>): number[] => groups(...args).map((group) => group.segments.length)

describe('the grouping of segments', () => {
  it('takes neighbours together while they fit one segment', () => {
    expect(sizes(segments({ bytes: 400 }, { bytes: 600 }, { bytes: 1 }))).toEqual([2, 1])
  })

  it('goes by what is left of those before, as far as it may keep them', () => {
    const full = segments(...Array.from({ length: 40 }, () => ({ bytes: 900 })))
    expect(sizes(full, 0.1)).toEqual([2, ...Array.from({ length: 19 }, () => 2)])
    expect(sizes(full, 0.01)).toEqual([12, 12, 12, 4])
    expect(sizes(full, 0)).toEqual([17, 17, 6])
  })

  it('leaves a segment alone that is too large by itself', () => {
    expect(sizes(segments({ bytes: 5000 }, { bytes: 1 }, { bytes: 1 }))).toEqual([1, 2])
  })

  it('heeds the index', () => {
    const small = { ...LIMITS, segmentIndexBytes: 80 }
    expect(sizes(segments({ bytes: 112 }, { bytes: 112 }, { bytes: 112 }), 1, small)).toEqual([2, 1])
    expect(sizes(segments({ offsets: 3 }, { offsets: 3 }, { offsets: 3 }), 1, small)).toEqual([3])
  })

  it('heeds the range of relative offsets', () => {
    expect(sizes(segments({ offsets: 2 ** 30 }, { offsets: 2 ** 30 - 1 }, { offsets: 1 }))).toEqual([2, 1])
  })

  it('puts tombstones together only where their time began at about the same time', () => {
    const all = segments({ tombstones: 10 }, { tombstones: 19 }, { tombstones: 14 }, { tombstones: 20 }, {})
    expect(groups(all).map((group) => [group.segments.length, group.tombstones])).toEqual([
      [3, 19],
      [1, 20],
      [1, 95],
    ])
  })

  it('puts segments whose tombstones go to any others', () => {
    const all = segments({ tombstones: 'over' }, { tombstones: 5 }, { tombstones: 'over' }, {}, { tombstones: 'over' })
    expect(groups(all).map((group) => [group.segments.length, group.tombstones])).toEqual([
      [3, 5],
      [2, 95],
    ])
  })

  it('keeps every segment once and in order, and no group of several becomes too large', () => {
    const one = fc.record({
      bytes: fc.integer({ min: 0, max: 1500 }),
      offsets: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      tombstones: fc.constantFrom<TombstoneAge>('over', 5, 7, 12),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), share, (given, left) => {
        const all = segments(...given)
        const made = groups(all, left)
        expect(made.flatMap((group) => group.segments)).toEqual(all)
        for (const { segments: some, tombstones, baseOffset, endOffset } of made) {
          const ages = some.map((segment) => segment.tombstones).filter((age) => age !== 'over')
          expect(new Set(ages.map((age) => Math.floor(age / LIMITS.ageSpanMs))).size).toBeLessThan(2)
          expect(tombstones).toBe(ages.length === 0 ? 'over' : Math.max(...ages))
          if (some.length === 1) continue
          const written = some.reduce((sum, { bytes }) => sum + bytes * left, 0)
          expect(written).toBeLessThanOrEqual(LIMITS.segmentBytes)
          expect(endOffset - baseOffset).toBeLessThan(2 ** 31)
        }
      }),
    )
  })
})
