import { LoopTurns } from '../../../loop-turns.js'
import type { KafkaCall } from '../kafka-handler.js'
import type { FetchPartition } from './fetch-partition.js'
import { type PartitionRead, readPartition } from './partition-read.js'

/** What one read of all the partitions of a fetch gave. */
export interface FetchRead {
  readonly partitions: readonly PartitionRead[]
  /** Of records. */
  readonly bytes: number
  /** Whether a partition has an error or another history than the client's: what must be told at once. */
  readonly urgent: boolean
}

/** What a fetch may give. */
export interface FetchLimits {
  readonly maxBytes: number
  readonly readCommitted: boolean
}

/**
 * Of records in one answer, whatever is allowed: its length is an int32, and what stands around the records is told back
 * from a request, which is below this much of it. An answer that has no length would be none, and its slices lost.
 */
export const MOST_BYTES = 2 ** 31 - 1 - (128 << 20)

/** What is converted is in memory until it is sent. */
const MAX_COPIED_BYTES = 4 << 20
/** Files that an answer may keep open. A partition whose turn does not come has it in a later fetch. */
const MAX_SLICES = 128
/** So few partitions are read at once. */
const FEW = 256

/**
 * Reads the partitions in their order, as far as the limits allow; answers at once where all of them do. The first one
 * that has something gives one batch at least; what the others give fits.
 */
export function readFetch(
  asked: Iterable<FetchPartition>,
  limits: FetchLimits,
  call: KafkaCall,
): FetchRead | Promise<FetchRead> {
  const reading = new Reading(limits, call)
  const rest = asked[Symbol.iterator]()
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const read = reading.read(next.value)
    // Thousands are read while the event loop turns.
    if (reading.partitions.length === FEW) return reading.goOn(read, rest)
    if (read instanceof Promise) return reading.goOn(read, rest)
    reading.add(read)
  }
  return reading
}

/** The partitions read so far. */
class Reading implements FetchRead {
  readonly partitions: PartitionRead[] = []
  bytes = 0
  urgent = false
  #copied = 0
  #slices = 0
  readonly #limits: FetchLimits
  readonly #call: KafkaCall

  constructor(limits: FetchLimits, call: KafkaCall) {
    this.#limits = limits
    this.#call = call
  }

  read(partition: FetchPartition): PartitionRead | Promise<PartitionRead> {
    const { maxBytes, readCommitted } = this.#limits
    const full = this.#slices >= MAX_SLICES || this.#call.signal.aborted
    const room = full ? 0 : Math.max(0, Math.min(partition.partitionMaxBytes, maxBytes - this.bytes))
    const maxCopiedBytes = Math.max(0, MAX_COPIED_BYTES - this.#copied)
    const atLeastOne = this.bytes === 0 && !full
    return readPartition(partition, { maxBytes: room, maxCopiedBytes, atLeastOne, readCommitted }, this.#call)
  }

  add(read: PartitionRead): void {
    this.partitions.push(read)
    this.bytes += read.bytes
    if (read.slices.length === 0) this.#copied += read.bytes
    this.#slices += read.slices.length
    this.urgent ||= read.response.errorCode !== 0 || read.response.divergingEpoch != null
  }

  /** One that has to be waited for, and those behind it. */
  async goOn(reading: PartitionRead | Promise<PartitionRead>, rest: Iterator<FetchPartition>): Promise<this> {
    const turns = new LoopTurns()
    this.add(await reading)
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      await turns.next()
      const read = this.read(next.value)
      this.add(read instanceof Promise ? await read : read)
    }
    return this
  }
}

/** Lets go of what was read. */
export function releaseFetch({ partitions }: FetchRead): void {
  for (const { slices } of partitions) for (const slice of slices) slice.release()
}
