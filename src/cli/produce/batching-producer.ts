import type { Client } from '../../client/client.js'
import type { RecordInput } from '../../log/record-codec.js'
import { type PartitionerName, partitionOfKey } from '../../topic/partitioner.js'

/** A batch goes out when it holds so much ... */
const BATCH_BYTES = 64 << 10
/** ... or when its first record has waited so long. */
const LINGER_MS = 5
/** What may be unacknowledged takes so much memory: beyond it, reading waits. */
const MAX_BYTES_IN_FLIGHT = 16 << 20
/** What a record takes beside its key and value: in a request, and in memory. */
const PACKED_OVERHEAD = 8
const MEMORY_OVERHEAD = 200

const ANY_PARTITION = -1

export interface BatchingProducerOptions {
  readonly topic: string
  /** Everything goes there; absent: by key. */
  readonly partition: number | undefined
  readonly partitioner: PartitionerName
  /** How many the topic has when it begins. */
  readonly partitionCount: number
  /** Called once, for the first request that the broker refuses. */
  readonly onFailure: (error: unknown) => void
}

interface Batch {
  records: RecordInput[]
  bytes: number
}

/**
 * Groups records by partition into PRODUCE requests, of which several are on their way at a time; one connection
 * keeps them in order. The records of one request all go to one partition, so keys are placed here. A batch without
 * keys leaves the choice to the broker, which takes turns.
 */
export class BatchingProducer {
  readonly #client: Client
  readonly #options: BatchingProducerOptions
  readonly #batches = new Map<number, Batch>()
  /** Keys are placed among so many: what waits or is on its way already stays where it was placed. */
  partitionCount: number
  #bytesInFlight = 0
  #requestsInFlight = 0
  #acknowledged = 0
  #failure: { error: unknown } | null = null
  #timer: NodeJS.Timeout | null = null
  #waiting: (() => void) | null = null

  constructor(client: Client, options: BatchingProducerOptions) {
    this.#client = client
    this.#options = options
    this.partitionCount = options.partitionCount
  }

  /** Records that the broker acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  add(key: Buffer | null, value: Buffer): void {
    const partition = this.#choose(key)
    const bytes = (key?.length ?? 0) + value.length + PACKED_OVERHEAD
    let batch = this.#batches.get(partition)
    if (batch !== undefined && batch.bytes + bytes > BATCH_BYTES) {
      this.#send(partition, batch)
      batch = undefined
    }
    if (batch === undefined) {
      batch = { records: [], bytes: 0 }
      this.#batches.set(partition, batch)
    }
    batch.records.push({ key, value })
    batch.bytes += bytes
    this.#timer ??= setTimeout(() => this.flush(), LINGER_MS)
  }

  /** Resolves when there is room for more. */
  async ready(): Promise<void> {
    while (this.#bytesInFlight > MAX_BYTES_IN_FLIGHT && this.#failure === null) await this.#progress()
  }

  /** Sends what waits. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const [partition, batch] of this.#batches) this.#send(partition, batch)
  }

  /**
   * Sends what waits, and resolves when everything is answered.
   *
   * @throws what the first refused request was refused for
   */
  async finish(): Promise<void> {
    this.flush()
    while (this.#requestsInFlight > 0) await this.#progress()
    if (this.#failure !== null) throw this.#failure.error
  }

  #choose(key: Buffer | null): number {
    const { partition, partitioner } = this.#options
    if (partition !== undefined) return partition
    return key === null ? ANY_PARTITION : partitionOfKey(partitioner, key, this.partitionCount)
  }

  #send(partition: number, { records, bytes }: Batch): void {
    this.#batches.delete(partition)
    if (this.#failure !== null) return
    const memory = bytes + MEMORY_OVERHEAD * records.length
    this.#bytesInFlight += memory
    this.#requestsInFlight++
    void this.#client
      .produce(this.#options.topic, records, { partition })
      .then(
        () => {
          this.#acknowledged += records.length
        },
        (error) => this.#fail(error),
      )
      .finally(() => {
        this.#bytesInFlight -= memory
        this.#requestsInFlight--
        this.#waiting?.()
      })
  }

  #progress(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return
    this.#failure = { error }
    this.#options.onFailure(error)
  }
}
