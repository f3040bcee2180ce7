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

/** What is converted is in memory until it is sent. */
const MAX_COPIED_BYTES = 4 << 20
/** Files that an answer may keep open. A partition whose turn does not come has it in a later fetch. */
const MAX_SLICES = 128

/**
 * Reads the partitions in their order, as far as the limits allow. The first one that has something gives one batch
 * at least; what the others give fits.
 */
export async function readFetch(
  asked: Iterable<FetchPartition>,
  { maxBytes, readCommitted }: FetchLimits,
  { context, signal }: KafkaCall,
): Promise<FetchRead> {
  const partitions: PartitionRead[] = []
  let bytes = 0
  let copied = 0
  let slices = 0
  let urgent = false
  for (const partition of asked) {
    const full = slices >= MAX_SLICES || signal.aborted
    const room = full ? 0 : Math.max(0, Math.min(partition.partitionMaxBytes, maxBytes - bytes))
    const limits = {
      maxBytes: room,
      maxCopiedBytes: Math.max(0, MAX_COPIED_BYTES - copied),
      atLeastOne: bytes === 0 && !full,
      readCommitted,
    }
    const reading = readPartition(partition, limits, context)
    // Without a turn of the event loop where it is not needed.
    const read = reading instanceof Promise ? await reading : reading
    partitions.push(read)
    bytes += read.bytes
    if (read.slices.length === 0) copied += read.bytes
    slices += read.slices.length
    urgent ||= read.response.errorCode !== 0 || read.response.divergingEpoch != null
  }
  return { partitions, bytes, urgent }
}

/** Lets go of what was read. */
export function releaseFetch({ partitions }: FetchRead): void {
  for (const { slices } of partitions) for (const slice of slices) slice.release()
}
