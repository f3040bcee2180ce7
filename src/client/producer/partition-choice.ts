import { MyKafkaError } from '../../errors.js'
import type { FieldInput } from '../../log/record-codec.js'
import type { PartitionQueue } from './partition-queue.js'

/** What a function that places records is told of one. */
export interface RecordToPlace {
  readonly topic: string
  readonly key: Uint8Array | null
  readonly value: FieldInput
}

/** Places records: the partition, from 0 to below `partitionCount`. */
export type PartitionFunction = (record: RecordToPlace, partitionCount: number) => number

/**
 * Asks a function for a partition.
 *
 * @throws MyKafkaError INVALID_ARGUMENT where it names none, and what the function throws
 */
export function askForPartition(ask: PartitionFunction, record: RecordToPlace, partitionCount: number): number {
  const partition = ask(record, partitionCount)
  if (Number.isInteger(partition) && partition >= 0 && partition < partitionCount) return partition
  const reason = `the partitioner chose ${String(partition)} of the ${partitionCount} partitions of ${record.topic}`
  throw new MyKafkaError('INVALID_ARGUMENT', reason)
}

/**
 * Where the records of a topic without a key go: to one partition until `batch.size` bytes went there (KIP-480), then to
 * another, chosen at random; adaptively, the likelier the shorter its queue is (KIP-794).
 */
export class StickyPartition {
  readonly #batchSize: number
  readonly #adaptive: boolean
  readonly #random: () => number
  #current: PartitionQueue | null = null
  #bytes = 0

  constructor(batchSize: number, adaptive: boolean, random: () => number = Math.random) {
    this.#batchSize = batchSize
    this.#adaptive = adaptive
    this.#random = random
  }

  /**
   * For a record of so many bytes.
   *
   * @param onLeft - told of the partition that is left for another: its batch is as full as it gets
   */
  choose(
    partitions: readonly PartitionQueue[],
    bytes: number,
    onLeft: (queue: PartitionQueue) => void,
  ): PartitionQueue {
    const current = this.#current
    if (current !== null && partitions[current.partition] === current && !this.#isUsedUp(current, bytes)) return current
    const next = this.#another(partitions, current)
    if (current !== null && current !== next) onLeft(current)
    this.#current = next
    this.#bytes = 0
    return next
  }

  /** So many bytes went to the one that was chosen. */
  took(bytes: number): void {
    this.#bytes += bytes
  }

  /** It is not left in the middle of a batch, unless its batches are sent before they are full. */
  #isUsedUp(current: PartitionQueue, bytes: number): boolean {
    const total = this.#bytes + bytes
    if (this.#bytes === 0 || total <= this.#batchSize) return false
    const open = current.open
    return open === null || open.bytes + bytes > this.#batchSize || total > 2 * this.#batchSize
  }

  #another(partitions: readonly PartitionQueue[], current: PartitionQueue | null): PartitionQueue {
    let longest = 0
    let total = 0
    let others = 0
    for (const queue of partitions) {
      if (queue === current) continue
      longest = Math.max(longest, queue.length)
      total += queue.length
      others++
    }
    if (others === 0) return partitions[0] as PartitionQueue
    const weightOf = (queue: PartitionQueue): number => (this.#adaptive ? longest + 1 - queue.length : 1)
    let left = this.#random() * (this.#adaptive ? others * (longest + 1) - total : others)
    let chosen: PartitionQueue | null = null
    for (const queue of partitions) {
      if (queue === current) continue
      chosen = queue
      left -= weightOf(queue)
      if (left < 0) break
    }
    return chosen as PartitionQueue
  }
}
