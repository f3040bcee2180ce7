import { describe, expect, it } from 'vitest'
import type { FileSlice } from '../../../src/log/file-slice.js'
import type { FetchScope } from '../../../src/server/kafka/fetch/fetch-sessions.js'
import { FetchSessions } from '../../../src/server/kafka/fetch/fetch-sessions.js'
import type { PartitionRead } from '../../../src/server/kafka/fetch/partition-read.js'
import type { FetchRequest } from '../../../src/wire/kafka/generated/fetch.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'

const VERSION = 12
const WITH_TOPIC_IDS = 13
const MINUTE_MS = 60_000

const request = (
  sessionId: number,
  sessionEpoch: number,
  partitions: number[],
  forgotten: number[] = [],
): FetchRequest => ({
  clusterId: null,
  replicaId: -1,
  replicaState: null,
  maxWaitMs: 0,
  minBytes: 1,
  maxBytes: 1000,
  isolationLevel: 0,
  sessionId,
  sessionEpoch,
  topics: [{ topic: 't', topicId: ZERO_UUID, partitions: partitions.map((partition) => partitionOf(partition)) }],
  forgottenTopicsData: [{ topic: 't', topicId: ZERO_UUID, partitions: forgotten }],
  rackId: '',
})

const partitionOf = (partition: number, fetchOffset = 0) => ({
  partition,
  currentLeaderEpoch: -1,
  fetchOffset,
  lastFetchedEpoch: -1,
  logStartOffset: -1,
  partitionMaxBytes: 1000,
  replicaDirectoryId: ZERO_UUID,
})

interface Told {
  highWatermark?: number
  logStartOffset?: number
  errorCode?: number
  bytes?: number
}

/** What the partitions of a scope gave; nothing new where it is not said. */
function reads(scope: FetchScope, told: Record<number, Told> = {}): PartitionRead[] {
  return [...scope.partitions].map((asked) => {
    const { bytes = 0, ...response } = told[asked.partition] ?? {}
    const records = Buffer.alloc(bytes)
    const head = { partitionIndex: asked.partition, errorCode: 0, highWatermark: 5, logStartOffset: 0, records }
    return { asked, response: { ...head, ...response }, bytes, slices: [], log: null }
  })
}

function answer(scope: FetchScope, told?: Record<number, Told>): { sessionId: number; partitions: number[] } {
  const { sessionId, told: each } = scope.answer(reads(scope, told))
  return { sessionId, partitions: each.map(({ asked }) => asked.partition) }
}

const order = (scope: FetchScope): number[] => [...scope.partitions].map(({ partition }) => partition)

function opened(sessions: FetchSessions, partitions: number[], version = VERSION): number {
  const { sessionId } = answer(sessions.scope(request(0, 0, partitions), version))
  expect(sessionId).toBeGreaterThan(0)
  return sessionId
}

describe('a session', () => {
  it('begins with all partitions, and goes on with those that changed', () => {
    const sessions = new FetchSessions(10)
    const first = answer(sessions.scope(request(0, 0, [0, 1, 2]), VERSION))
    expect(first.partitions).toEqual([0, 1, 2])
    const { sessionId } = first
    const next = (epoch: number, told?: Record<number, Told>) =>
      answer(sessions.scope(request(sessionId, epoch, []), VERSION), told)
    expect(next(1)).toEqual({ sessionId, partitions: [] })
    expect(next(2, { 1: { highWatermark: 6 } }).partitions).toEqual([1])
    expect(next(3, { 1: { highWatermark: 6 } }).partitions).toEqual([])
    expect(next(4, { 1: { highWatermark: 6, logStartOffset: 3 }, 2: { bytes: 10 } }).partitions).toEqual([1, 2])
  })

  it('tells an error each time, and the partition anew behind it', () => {
    const sessions = new FetchSessions(10)
    const sessionId = opened(sessions, [0, 1])
    const next = (epoch: number, told?: Record<number, Told>) =>
      answer(sessions.scope(request(sessionId, epoch, []), VERSION), told).partitions
    const error = { 0: { errorCode: 3, highWatermark: -1, logStartOffset: -1 } }
    expect(next(1, error)).toEqual([0])
    expect(next(2, error)).toEqual([0])
    expect(next(3)).toEqual([0])
    expect(next(4)).toEqual([])
  })

  it('takes new partitions and offsets, and forgets', () => {
    const sessions = new FetchSessions(10)
    const sessionId = opened(sessions, [0, 1])
    const changed = request(sessionId, 1, [2], [0])
    const topics = [{ topic: 't', topicId: ZERO_UUID, partitions: [partitionOf(1, 77), partitionOf(2)] }]
    const scope = sessions.scope({ ...changed, topics }, VERSION)
    expect([...scope.partitions].map(({ partition, fetchOffset }) => [partition, fetchOffset])).toEqual([
      [1, 77],
      [2, 0],
    ])
    // Partition 2 was never told.
    expect(answer(scope).partitions).toEqual([2])
  })

  it('does not tell what was forgotten while it was read, and lets go of its files', () => {
    const sessions = new FetchSessions(10)
    const sessionId = opened(sessions, [0, 1])
    const scope = sessions.scope(request(sessionId, 1, []), VERSION)
    let released = 0
    const slice = { release: () => released++ } as unknown as FileSlice
    const found = reads(scope, { 0: { bytes: 10 }, 1: { bytes: 10 } }).map((read) => ({ ...read, slices: [slice] }))
    answer(sessions.scope(request(sessionId, 2, [], [0]), VERSION))
    expect(scope.answer(found).told.map(({ asked }) => asked.partition)).toEqual([1])
    expect(released).toBe(1)
  })

  it('lets those go first that gave nothing', () => {
    const sessions = new FetchSessions(10)
    const sessionId = opened(sessions, [0, 1, 2])
    answer(sessions.scope(request(sessionId, 1, []), VERSION), { 0: { bytes: 10 } })
    const scope = sessions.scope(request(sessionId, 2, []), VERSION)
    expect(order(scope)).toEqual([1, 2, 0])
    answer(scope, { 1: { bytes: 10 }, 2: { highWatermark: 9 } })
    expect(order(sessions.scope(request(sessionId, 3, []), VERSION))).toEqual([2, 0, 1])
  })

  it('ends when all is forgotten, with epoch -1, and when another is begun', () => {
    const sessions = new FetchSessions(10)
    const forgotten = opened(sessions, [0])
    const scope = sessions.scope(request(forgotten, 1, [], [0]), VERSION)
    expect(answer(scope)).toEqual({ sessionId: 0, partitions: [] })
    const ended = opened(sessions, [0])
    expect(answer(sessions.scope(request(ended, -1, [0, 1]), VERSION))).toEqual({ sessionId: 0, partitions: [0, 1] })
    const replaced = opened(sessions, [0])
    answer(sessions.scope(request(replaced, 0, [1]), VERSION))
    expect(sessions.size).toBe(1)
    for (const id of [forgotten, ended, replaced]) {
      expect(() => sessions.scope(request(id, 2, []), VERSION)).toThrow(
        expect.objectContaining({ code: 'FETCH_SESSION_ID_NOT_FOUND' }),
      )
    }
  })

  it('refuses another epoch and another way to name topics, and stays', () => {
    const sessions = new FetchSessions(10)
    const sessionId = opened(sessions, [0])
    const scope = (epoch: number, version = VERSION) => sessions.scope(request(sessionId, epoch, []), version)
    expect(() => scope(2)).toThrow(expect.objectContaining({ code: 'INVALID_FETCH_SESSION_EPOCH' }))
    expect(() => scope(1, WITH_TOPIC_IDS)).toThrow(expect.objectContaining({ code: 'FETCH_SESSION_TOPIC_ID_ERROR' }))
    expect(answer(scope(1)).sessionId).toBe(sessionId)
    expect(() => scope(1)).toThrow(expect.objectContaining({ code: 'INVALID_FETCH_SESSION_EPOCH' }))
  })
})

describe('a full cache', () => {
  it('gives no session, unless one was not used for two minutes', () => {
    let now = 0
    const sessions = new FetchSessions(2, () => now)
    const [idle, used] = [opened(sessions, [0]), opened(sessions, [1])]
    now = 1.5 * MINUTE_MS
    sessions.scope(request(used, 1, []), VERSION)
    expect(answer(sessions.scope(request(0, 0, [2]), VERSION))).toEqual({ sessionId: 0, partitions: [2] })
    now = 2 * MINUTE_MS
    const third = opened(sessions, [2])
    expect(sessions.size).toBe(2)
    expect(() => sessions.scope(request(idle, 1, []), VERSION)).toThrow()
    expect(order(sessions.scope(request(used, 2, []), VERSION))).toEqual([1])
    expect(order(sessions.scope(request(third, 1, []), VERSION))).toEqual([2])
  })

  it('has so many partitions in all: a session of more is none, and one that grows beyond them ends', () => {
    const sessions = new FetchSessions(100, Date.now, 500)
    const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
    const first = opened(sessions, range(0, 300))
    expect(answer(sessions.scope(request(0, 0, range(0, 300)), VERSION)).sessionId).toBe(0)
    const small = opened(sessions, [1])
    expect(() => sessions.scope(request(first, 1, range(300, 300)), VERSION)).toThrow(
      expect.objectContaining({ code: 'FETCH_SESSION_ID_NOT_FOUND' }),
    )
    expect(order(sessions.scope(request(small, 1, []), VERSION))).toEqual([1])
    opened(sessions, range(0, 400))
  })

  it('of no slots works without sessions', () => {
    const sessions = new FetchSessions(0)
    expect(answer(sessions.scope(request(0, 0, [0]), VERSION))).toEqual({ sessionId: 0, partitions: [0] })
  })
})
