import { MyKafkaError } from '../../../errors.js'
import type { FetchRequest } from '../../../wire/kafka/generated/fetch.js'
import { type FetchPartition, namesTopicsById, partitionKey, requestedPartitions } from './fetch-partition.js'
import type { PartitionRead } from './partition-read.js'

/** A fetch, within a session or without one (KIP-227). */
export interface FetchScope {
  /** What is to be read, in this order. */
  readonly partitions: Iterable<FetchPartition>
  /** What of it the client is to be told, and in which session. Called once, when the answer is complete. */
  answer(reads: readonly PartitionRead[]): { readonly sessionId: number; readonly told: readonly PartitionRead[] }
}

/** What a session knows of a partition: what the client asks for, and what it was told last. */
interface SessionPartition extends FetchPartition {
  readonly highWatermark: number
  readonly logStartOffset: number
}

interface FetchSession {
  readonly id: number
  readonly byId: boolean
  /** Of the next request. */
  epoch: number
  lastUsed: number
  /** By `partitionKey`. Those that gave records are behind those that did not. */
  readonly partitions: Map<string, SessionPartition>
  /** Of its partitions, in the sum of all sessions. */
  counted: number
}

const NO_SESSION = 0
const FINAL_EPOCH = -1
const INITIAL_EPOCH = 0
const MAX_INT32 = 0x7fffffff
/** One that was not used for so long gives way to a new one. Kafka's, and not configurable there either. */
const EVICTABLE_AFTER_MS = 120_000
/** Of all sessions together; a session of more than are left is not opened, and one that grows beyond them ends. */
const MOST_PARTITIONS = 1 << 19
/** Not told yet, or told an error since: told with the next answer. */
const UNTOLD = -1

/** The fetch sessions of all clients: whoever has one sends and gets only what has changed. */
export class FetchSessions {
  readonly #slots: number
  readonly #mostPartitions: number
  readonly #now: () => number
  /** The least recently used first. */
  readonly #sessions = new Map<number, FetchSession>()
  #partitions = 0

  /** @param slots - `max.incremental.fetch.session.cache.slots` */
  constructor(slots: number, now: () => number = () => performance.now(), mostPartitions = MOST_PARTITIONS) {
    this.#slots = slots
    this.#mostPartitions = mostPartitions
    this.#now = now
  }

  get size(): number {
    return this.#sessions.size
  }

  /**
   * What a request of a version means.
   *
   * @throws MyKafkaError FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR
   */
  scope(request: FetchRequest, version: number): FetchScope {
    const { sessionId, sessionEpoch } = request
    if (sessionEpoch !== INITIAL_EPOCH && sessionEpoch !== FINAL_EPOCH) {
      return this.#incremental(this.#resume(sessionId, sessionEpoch, namesTopicsById(version)), request)
    }
    // Either way the client is done with the session that it had.
    this.#drop(sessionId)
    const partitions = requestedPartitions(request)
    return {
      partitions,
      answer: (told) => {
        const opens = sessionEpoch === INITIAL_EPOCH && partitions.length > 0
        return { sessionId: opens ? this.#open(told, namesTopicsById(version)) : NO_SESSION, told }
      },
    }
  }

  #resume(sessionId: number, epoch: number, byId: boolean): FetchSession {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) {
      throw new MyKafkaError('FETCH_SESSION_ID_NOT_FOUND', `there is no fetch session ${sessionId}`)
    }
    if (session.epoch !== epoch) {
      const expected = `fetch session ${sessionId} expects epoch ${session.epoch}`
      throw new MyKafkaError('INVALID_FETCH_SESSION_EPOCH', `${expected}, not ${epoch}`)
    }
    if (session.byId !== byId) {
      throw new MyKafkaError('FETCH_SESSION_TOPIC_ID_ERROR', `fetch session ${sessionId} names topics otherwise`)
    }
    session.epoch = epoch === MAX_INT32 ? 1 : epoch + 1
    session.lastUsed = this.#now()
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    return session
  }

  #incremental(session: FetchSession, request: FetchRequest): FetchScope {
    const { partitions } = session
    for (const asked of requestedPartitions(request)) {
      const key = partitionKey(asked)
      const { highWatermark, logStartOffset } = partitions.get(key) ?? { highWatermark: UNTOLD, logStartOffset: UNTOLD }
      partitions.set(key, { ...asked, highWatermark, logStartOffset })
    }
    for (const { topic, topicId, partitions: numbers } of request.forgottenTopicsData) {
      for (const partition of numbers) partitions.delete(partitionKey({ topic, topicId, partition }))
    }
    this.#count(session)
    if (this.#partitions > this.#mostPartitions) {
      this.#drop(session.id)
      throw new MyKafkaError('FETCH_SESSION_ID_NOT_FOUND', `fetch session ${session.id} has grown too large`)
    }
    if (partitions.size === 0) {
      this.#drop(session.id)
      return { partitions: [], answer: (told) => ({ sessionId: NO_SESSION, told }) }
    }
    return {
      partitions: [...partitions.values()],
      answer: (reads) => ({ sessionId: session.id, told: reads.filter((read) => tellChange(session, read)) }),
    }
  }

  /** Makes a session of what was told. Returns 0 where there is no room for one. */
  #open(told: readonly PartitionRead[], byId: boolean): number {
    if (this.#sessions.size >= this.#slots && !this.#evict()) return NO_SESSION
    while (this.#partitions + told.length > this.#mostPartitions) if (!this.#evict()) return NO_SESSION
    let id: number
    do id = 1 + Math.floor(Math.random() * MAX_INT32)
    while (this.#sessions.has(id))
    const session: FetchSession = { id, byId, epoch: 1, lastUsed: this.#now(), partitions: new Map(), counted: 0 }
    for (const read of told) remember(session, read)
    this.#sessions.set(id, session)
    this.#count(session)
    return id
  }

  #count(session: FetchSession): void {
    this.#partitions += session.partitions.size - session.counted
    session.counted = session.partitions.size
  }

  #drop(id: number): boolean {
    this.#partitions -= this.#sessions.get(id)?.counted ?? 0
    return this.#sessions.delete(id)
  }

  #evict(): boolean {
    const [oldest] = this.#sessions.values()
    if (oldest === undefined || this.#now() - oldest.lastUsed < EVICTABLE_AFTER_MS) return false
    return this.#drop(oldest.id)
  }
}

/** Whether the client does not know this of the partition yet. */
function tellChange(session: FetchSession, read: PartitionRead): boolean {
  const known = session.partitions.get(partitionKey(read.asked))
  if (known === undefined) {
    // Forgotten by another request meanwhile.
    for (const slice of read.slices) slice.release()
    return false
  }
  const { errorCode, divergingEpoch, highWatermark, logStartOffset } = read.response
  const changed =
    read.bytes > 0 ||
    errorCode !== 0 ||
    divergingEpoch != null ||
    known.highWatermark !== highWatermark ||
    known.logStartOffset !== logStartOffset
  if (changed) remember(session, read)
  return changed
}

function remember({ partitions }: FetchSession, { asked, response, bytes }: PartitionRead): void {
  const key = partitionKey(asked)
  const known = partitions.get(key) ?? asked
  // Behind those that wait for their turn.
  if (bytes > 0) partitions.delete(key)
  const untold = response.errorCode !== 0 || response.divergingEpoch != null
  partitions.set(key, {
    ...known,
    highWatermark: untold ? UNTOLD : response.highWatermark,
    logStartOffset: response.logStartOffset ?? UNTOLD,
  })
}
