import { expect, it } from 'vitest'
import { storageText } from '../../src/cli/topics/storage-text.js'
import type { LogStorage, SegmentStorage } from '../../src/log/log-storage.js'

const TIME = 1_700_000_000_000

const segment: SegmentStorage = {
  baseOffset: 0,
  nextOffset: 10,
  bytes: 500,
  largestTimestamp: TIME,
  active: false,
  compactedAt: null,
  damagedBytes: 0,
  damages: [],
  reason: 'it is young',
}

const log: LogStorage = {
  logStartOffset: 0,
  highWatermark: 10,
  logEndOffset: 10,
  recoveryPoint: 5,
  bytes: 500,
  segments: [segment],
  deletedFiles: 0,
  lastRemoval: null,
  compaction: null,
}

const lines = (described: LogStorage, clockHeld = false): string[] => {
  const partitions = [{ partition: 0, offline: false as const, ...described }]
  return storageText({ topic: 't', now: TIME, clockHeld, partitions }).split('\n')
}

it('has a line for the topic, the partition and each segment', () => {
  expect(lines(log)).toEqual([
    'Topic: t\tPartitionCount: 1',
    '\tPartition: 0\tLogStartOffset: 0\tHighWatermark: 10\tLogEndOffset: 10\tRecoveryPoint: 5\tSegments: 1\tBytes: 500',
    '\t\tBaseOffset: 0\tNextOffset: 10\tBytes: 500\tLargestTimestamp: 2023-11-14T22:13:20.000Z (1700000000000)\tState: sealed\tWhy: it is young',
    '',
  ])
})

it('says that a partition is offline, and that the clock is not believed', () => {
  const partitions = [{ partition: 3, offline: true as const }]
  expect(storageText({ topic: 't', now: TIME, clockHeld: false, partitions })).toBe(
    'Topic: t\tPartitionCount: 1\n\tPartition: 3\toffline\n',
  )
  expect(lines(log, true)[1]).toBe(
    '\tThe clock was set forward and is not believed yet: it counts as 2023-11-14T22:13:20.000Z (1700000000000)',
  )
})

it('tells of times that no calendar has, of damage, and of a segment that was compacted', () => {
  const odd = {
    ...segment,
    largestTimestamp: Number.MAX_SAFE_INTEGER,
    damagedBytes: 7,
    compactedAt: TIME,
    active: true,
  }
  const [, , first, second] = lines({ ...log, segments: [odd, { ...segment, largestTimestamp: null }] })
  expect(first).toContain('\tLargestTimestamp: 9007199254740991\tState: active\tCompactedAt: 2023-')
  expect(first).toContain('\tDamagedBytes: 7\tWhy: ')
  expect(second).toContain('\tLargestTimestamp: none\t')
})

it('tells what retention and compaction did last, and what failed', () => {
  const last = {
    at: TIME,
    durationMs: 12.7,
    bytesBefore: 900,
    bytesAfter: 100,
    endOffset: 8,
    recordsDropped: 5,
    tombstonesKept: 1,
  }
  const compaction = {
    firstDirtyOffset: 8,
    endOffset: 9,
    cleanBytes: 100,
    dirtyBytes: 50,
    dirtyRatio: 1 / 3,
    running: true,
    last,
    failure: 'the disk is full',
  }
  const lastRemoval = { at: TIME, segments: 2, bytes: 300, reason: 'it is old' }
  expect(lines({ ...log, deletedFiles: 4, lastRemoval, compaction }).slice(2, 6)).toEqual([
    '\t\tLastRemoval: 2023-11-14T22:13:20.000Z (1700000000000)\tSegments: 2\tBytes: 300\tWhy: it is old',
    '\t\tDeletedFiles: 4\tthey wait for file.delete.delay.ms',
    '\t\tFirstDirtyOffset: 8\tCleanableTo: 9\tDirtyRatio: 0.33\tFailure: the disk is full\ta compaction is under way',
    '\t\tLastCompaction: 2023-11-14T22:13:20.000Z (1700000000000)\tEndOffset: 8\tBytes: 900 to 100\tRecordsDropped: 5\tTombstonesKept: 1\tMilliseconds: 13',
  ])
})
