import { MyKafkaError } from '../../errors.js'
import { type FieldInput, writeText } from '../../log/record-codec.js'
import { type PartitionerName, partitionOfKey } from '../../topic/partitioner.js'
import type { Accumulator } from './accumulator.js'
import { Fifo } from './fifo.js'
import type { ResolvedProducerOptions } from './options.js'
import { askForPartition } from './partition-choice.js'
import type { PartitionQueue } from './partition-queue.js'
import { PendingSend, type RecordMetadata } from './pending-send.js'
import type { ProducerRecord } from './producer-record.js'
import type { TopicPartitions, TopicState } from './topic-partitions.js'
import { type WaitingSend, WaitingSends } from './waiting-sends.js'

const SCRATCH_BYTES = 4096

/** What a record waits for. */
type Lack = 'partitions' | 'memory'

/**
 * Places records and puts them into batches. Where it is not known which partitions there are, or there is no memory
 * left, they wait; none overtakes another one of its partition.
 */
export class Admission {
  readonly #options: ResolvedProducerOptions
  readonly #accumulator: Accumulator
  readonly #topics: Pick<TopicPartitions, 'refresh' | 'rest'>
  readonly #waiting: WaitingSends
  /** Those that wait for memory, and some that do so no more. */
  readonly #forMemory = new Fifo<WaitingSend>()
  /** A short key as bytes, until it is in its batch. */
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #key: Uint8Array | null = null
  #keyLength = 0
  readonly #left = (queue: PartitionQueue): void => this.#accumulator.complete(queue)

  constructor(
    options: ResolvedProducerOptions,
    accumulator: Accumulator,
    topics: Pick<TopicPartitions, 'refresh' | 'rest'>,
  ) {
    this.#options = options
    this.#accumulator = accumulator
    this.#topics = topics
    const timedOut = (waiting: WaitingSend): MyKafkaError => this.#timedOut(waiting)
    this.#waiting = new WaitingSends(options.maxBlockMs, timedOut, () => topics.rest())
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** What becomes of each send that waits now. */
  get promises(): Promise<unknown>[] {
    return this.#waiting.promises
  }

  /**
   * What becomes of a record; nobody has to await it.
   *
   * @param bound - what it takes at the most
   * @param send - where something else may settle it
   * @throws what a partitioner throws
   */
  add(topic: TopicState, record: ProducerRecord, bound: number, send: PendingSend | null): Promise<RecordMetadata> {
    const admitted = this.#forMemory.length === 0 ? this.#admit(topic, record, bound) : lackOf(topic, record)
    if (typeof admitted !== 'string') {
      send?.follow(admitted)
      return send?.promise ?? admitted
    }
    const waiting = this.#waiting.add(topic, record, bound, send ?? new PendingSend())
    if (admitted === 'memory') this.#waitForMemory(waiting)
    else this.#waitForPartitions(waiting)
    return waiting.send.promise
  }

  isAwaited(topic: TopicState): boolean {
    return topic.waiting.some((waiting) => this.#waiting.has(waiting))
  }

  /** A topic's partitions were asked for: what waits for those that are there goes on. */
  refreshed(topic: TopicState): void {
    const waiting = topic.waiting.filter((each) => this.#waiting.has(each))
    topic.waiting = []
    for (const each of waiting) {
      if (lackOf(topic, each.record) === 'partitions') topic.waiting.push(each)
      else if (this.#forMemory.length > 0 || !this.#retry(each)) this.#waitForMemory(each)
    }
  }

  failed(topic: TopicState, error: MyKafkaError): void {
    const { waiting } = topic
    topic.waiting = []
    for (const { send } of waiting) send.reject(error)
  }

  /** There is more memory. */
  room(): void {
    if (this.#forMemory.length === 0) return
    for (let first = this.#forMemory.peek(); first !== undefined; first = this.#forMemory.peek()) {
      if (this.#waiting.has(first) && !this.#retry(first)) return
      this.#forMemory.shift()
    }
    this.#accumulator.calm()
  }

  rejectAll(error: MyKafkaError): void {
    this.#waiting.rejectAll(error)
  }

  close(): void {
    this.#waiting.close()
  }

  /** While something waits for memory, no batch waits for records. */
  #waitForMemory(waiting: WaitingSend): void {
    this.#forMemory.push(waiting)
    if (this.#forMemory.length === 1) this.#accumulator.urge()
  }

  #waitForPartitions(waiting: WaitingSend): void {
    waiting.topic.waiting.push(waiting)
    this.#topics.refresh(waiting.topic)
  }

  /** Whether it waits no more. */
  #retry(waiting: WaitingSend): boolean {
    const { topic, record, bound, send } = waiting
    try {
      const admitted = this.#admit(topic, record, bound)
      if (admitted === 'memory') return false
      if (admitted === 'partitions') {
        this.#waitForPartitions(waiting)
        return true
      }
      this.#waiting.remove(waiting)
      send.follow(admitted)
    } catch (error) {
      send.reject(error)
    }
    return true
  }

  #admit(topic: TopicState, record: ProducerRecord, bound: number): Promise<RecordMetadata> | Lack {
    if (lackOf(topic, record) === 'partitions') return 'partitions'
    if (!this.#accumulator.hasRoom(bound)) return 'memory'
    const queue = this.#place(topic, record, bound)
    const promise = this.#accumulator.append(queue, this.#key, this.#keyLength, record.value, bound)
    if (this.#isSticky(record)) topic.sticky.took(this.#accumulator.lastBytes)
    return promise
  }

  /** Chooses the partition, and leaves the key as bytes. */
  #place(topic: TopicState, record: ProducerRecord, bound: number): PartitionQueue {
    const { partitions } = topic
    const { partitioner } = this.#options
    const { key = null, value, partition } = record
    if (partition === undefined && typeof partitioner === 'function') {
      // It may send something itself: what it is given is not the scratch.
      const bytes = typeof key === 'string' ? Buffer.from(key) : key
      const chosen = askForPartition(partitioner, { topic: topic.name, key: bytes, value }, partitions.length)
      this.#setKey(bytes)
      return partitions[chosen] as PartitionQueue
    }
    this.#setKey(key)
    if (partition !== undefined) return partitions[partition] as PartitionQueue
    if (this.#isSticky(record)) return topic.sticky.choose(partitions, bound, this.#left)
    const name = partitioner as PartitionerName
    return partitions[
      partitionOfKey(name, this.#key as Uint8Array, partitions.length, this.#keyLength)
    ] as PartitionQueue
  }

  /** Whether it goes where those without a key go. */
  #isSticky({ key = null, partition }: ProducerRecord): boolean {
    const { partitioner, ignoreKeys } = this.#options
    return partition === undefined && (key === null || ignoreKeys) && typeof partitioner !== 'function'
  }

  #setKey(key: FieldInput): void {
    if (typeof key !== 'string') {
      this.#key = key
      this.#keyLength = key?.length ?? 0
    } else if (3 * key.length <= SCRATCH_BYTES) {
      this.#key = this.#scratch
      this.#keyLength = writeText(key, this.#scratch, 0)
    } else {
      this.#key = Buffer.from(key)
      this.#keyLength = this.#key.length
    }
  }

  #timedOut({ topic, record }: WaitingSend): MyKafkaError {
    const { maxBlockMs, bufferMemory } = this.#options
    const { name, partitions, lastError } = topic
    if (lackOf(topic, record) === 'memory') {
      const reason = `no room in the ${bufferMemory} bytes of bufferMemory within ${maxBlockMs} ms`
      return new MyKafkaError('REQUEST_TIMED_OUT', reason)
    }
    const known = partitions.length === 0 ? `topic ${name} is not known` : `${name} has ${partitions.length} partitions`
    const asked = record.partition === undefined ? '' : `, partition ${record.partition} was asked for`
    const reason = lastError === null ? '' : `: ${lastError.message}`
    const text = `${known}${asked}, and that did not change within ${maxBlockMs} ms${reason}`
    return new MyKafkaError('REQUEST_TIMED_OUT', text, { cause: lastError ?? undefined })
  }
}

function lackOf({ partitions }: TopicState, { partition = 0 }: ProducerRecord): Lack {
  return partition < partitions.length ? 'memory' : 'partitions'
}
