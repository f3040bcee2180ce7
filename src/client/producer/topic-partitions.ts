import { asMyKafkaError, MyKafkaError } from '../../errors.js'
import { backoffMs, isRetriable, onAbort, sleep, type Transport } from '../transport.js'
import type { ResolvedProducerOptions } from './options.js'
import { StickyPartition } from './partition-choice.js'
import { PartitionQueue } from './partition-queue.js'
import type { WaitingSend } from './waiting-sends.js'

/** What a producer knows of a topic. */
export class TopicState {
  readonly name: string
  readonly sticky: StickyPartition
  /** By partition; empty while it is not known how many there are. */
  partitions: readonly PartitionQueue[] = []
  /** The same, and those of partitions that are there no more. */
  readonly #queues: PartitionQueue[] = []
  /** Of performance.now(). */
  refreshedAt = 0
  refreshing = false
  /** Sends that wait for a partition of it, and some that do so no more. */
  waiting: WaitingSend[] = []
  /** Why it is not known, or was not known when it was last asked for. */
  lastError: MyKafkaError | null = null

  constructor(name: string, sticky: StickyPartition) {
    this.name = name
    this.sticky = sticky
  }

  /**
   * It has so many partitions. The queues stay what they are: a topic that was made anew with fewer partitions keeps what
   * waits in the others, and what comes when they are back goes behind it.
   */
  setCount(count: number): void {
    for (let i = this.#queues.length; i < count; i++) this.#queues.push(new PartitionQueue(this.name, i))
    this.partitions = this.#queues.slice(0, count)
  }
}

/** Whom it tells. */
export interface TopicEvents {
  /** A topic's partitions were asked for, and answered. */
  refreshed(topic: TopicState): void
  /** They cannot be had, now or later. */
  failed(topic: TopicState, error: MyKafkaError): void
  /** Whether a send waits for what the last answer did not tell. */
  isAwaited(topic: TopicState): boolean
}

/** How many partitions each topic has, asked for when it is first needed, and again from time to time. */
export class TopicPartitions {
  readonly #transport: Transport
  readonly #options: ResolvedProducerOptions
  readonly #events: TopicEvents
  readonly #signal: AbortSignal
  readonly #topics = new Map<string, TopicState>()
  /** Aborted when no send waits for an answer. */
  #asking = new AbortController()
  /** Topics that are being asked for. */
  #refreshing = 0

  /** @param signal - ends the asking */
  constructor(transport: Transport, options: ResolvedProducerOptions, events: TopicEvents, signal: AbortSignal) {
    this.#transport = transport
    this.#options = options
    this.#events = events
    this.#signal = signal
    onAbort(signal, () => this.rest())
  }

  find(name: string): TopicState | undefined {
    return this.#topics.get(name)
  }

  add(name: string): TopicState {
    const { batchSize, adaptive } = this.#options
    const topic = new TopicState(name, new StickyPartition(batchSize, adaptive))
    this.#topics.set(name, topic)
    return topic
  }

  /** Asks again where the answer is too old. Until the next one comes, the last one holds. */
  checkAge(name: string): void {
    const topic = this.#topics.get(name)
    if (topic === undefined) return
    if (performance.now() - topic.refreshedAt >= this.#options.metadataMaxAgeMs) this.refresh(topic)
  }

  /** Asks, unless it is being asked. */
  refresh(topic: TopicState): void {
    if (topic.refreshing) return
    topic.refreshing = true
    this.#refreshing++
    // It never rejects.
    void this.#refresh(topic)
  }

  /** No send waits: a broker that does not answer is not sought any more, which would keep the process alive. */
  rest(): void {
    if (this.#refreshing === 0) return
    const asking = this.#asking
    this.#asking = new AbortController()
    asking.abort()
  }

  async #refresh(topic: TopicState): Promise<void> {
    try {
      for (let failures = 0; ; failures++) {
        const asking = this.#asking.signal
        await this.#try(topic, asking)
        if (this.#signal.aborted || !this.#events.isAwaited(topic)) return
        await sleep(backoffMs(this.#options, failures), asking).catch(() => {})
        if (this.#signal.aborted || !this.#events.isAwaited(topic)) return
      }
    } finally {
      // In the turn in which nobody was found to wait: who comes next asks anew.
      topic.refreshing = false
      this.#refreshing--
    }
  }

  async #try(topic: TopicState, asking: AbortSignal): Promise<void> {
    try {
      await this.#ask(topic, asking)
      this.#events.refreshed(topic)
    } catch (error) {
      if (asking.aborted) return
      topic.lastError = asMyKafkaError(error)
      if (!isRetriable(error)) this.#events.failed(topic, topic.lastError)
    }
  }

  async #ask(topic: TopicState, signal: AbortSignal): Promise<void> {
    const client = await this.#transport.client({ signal })
    const [found] = await client.metadata(topic.name)
    if (found === undefined) throw new MyKafkaError('INVALID_RESPONSE', `METADATA of ${topic.name} is empty`)
    topic.setCount(found.partitions.length)
    topic.refreshedAt = performance.now()
    topic.lastError = null
  }
}
