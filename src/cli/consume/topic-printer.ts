import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.js'
import { MyKafkaError } from '../../errors.js'
import type { LogRecord } from '../../log/record-codec.js'
import type { Output } from '../output.js'
import { endOfDamage } from './damage.js'
import type { GroupOffsets } from './group-offsets.js'
import type { RecordFormatter } from './record-formatter.js'
import { nearestOffset } from './start-offsets.js'

/** While a partition has nothing new it is asked again behind the first pause, then behind longer ones. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 250

/** What the fetches of all partitions may bring at a time, shared among them. */
const FETCH_BYTES = 16 << 20
const LARGEST_FETCH_BYTES = 1 << 20
const SMALLEST_FETCH_BYTES = 64 << 10

export interface PrintOptions {
  readonly topic: string
  readonly starts: ReadonlyMap<number, number>
  /** Called now and then: the partitions that the topic has got since, and where each is read from. */
  readonly newPartitions: () => Promise<ReadonlyMap<number, number>>
  /** How often. */
  readonly metadataMaxAgeMs: number
  readonly group: GroupOffsets | null
  readonly formatter: RecordFormatter
  readonly maxMessages: number
  /** Without a record for so long, it ends. */
  readonly timeoutMs: number | undefined
  /** Ends it. What is being printed is printed first. */
  readonly signal: AbortSignal
}

/** Prints the records of a topic's partitions, each partition in order, and follows their ends. */
export class TopicPrinter {
  readonly #client: Client
  readonly #output: Output
  readonly #options: PrintOptions
  readonly #fetchBytes: number
  readonly #ending = new AbortController()
  #left: number
  #printing: Promise<void> = Promise.resolve()
  #idleTimer: NodeJS.Timeout | null = null

  constructor(client: Client, output: Output, options: PrintOptions) {
    this.#client = client
    this.#output = output
    this.#options = options
    this.#left = options.maxMessages
    const share = Math.floor(FETCH_BYTES / Math.max(options.starts.size, 1))
    this.#fetchBytes = Math.min(Math.max(share, SMALLEST_FETCH_BYTES), LARGEST_FETCH_BYTES)
  }

  /** Resolves when an end is reached: the number of messages, the timeout, the signal. */
  async run(): Promise<void> {
    const { starts, signal } = this.#options
    const end = (): void => this.#ending.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    this.#restartIdleTimer()
    try {
      await Promise.all([this.#followNew(), ...[...starts].map(([number, offset]) => this.#follow(number, offset))])
    } finally {
      end()
      if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
      signal.removeEventListener('abort', end)
    }
  }

  /** Follows the partitions that come while it runs. */
  async #followNew(): Promise<void> {
    const { newPartitions, metadataMaxAgeMs } = this.#options
    const { signal } = this.#ending
    const following: Promise<void>[] = []
    for (;;) {
      await sleep(metadataMaxAgeMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      for (const [partition, offset] of await newPartitions()) {
        const follow = this.#follow(partition, offset)
        follow.catch(() => this.#ending.abort())
        following.push(follow)
      }
    }
    await Promise.all(following)
  }

  async #follow(partition: number, start: number): Promise<void> {
    let offset = start
    let pause = FIRST_PAUSE_MS
    while (!this.#ending.signal.aborted) {
      const records = await this.#fetch(partition, offset)
      if (typeof records === 'number') {
        offset = records
      } else if (records.length > 0) {
        offset = await this.#print(partition, records)
        pause = FIRST_PAUSE_MS
      } else {
        await sleep(pause, undefined, { signal: this.#ending.signal }).catch(() => {})
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      }
    }
  }

  /** Records, or the offset to go on from where this one cannot be read. */
  async #fetch(partition: number, offset: number): Promise<LogRecord[] | number> {
    const { topic } = this.#options
    try {
      return await this.#client.fetch(topic, partition, offset, { maxBytes: this.#fetchBytes })
    } catch (error) {
      if (!(error instanceof MyKafkaError)) throw error
      if (error.code === 'CORRUPT_MESSAGE') return await this.#passDamage(partition, offset)
      if (error.code !== 'OFFSET_OUT_OF_RANGE') throw error
      const nearest = await nearestOffset(this.#client, topic, partition, offset)
      process.stderr.write(`mykafka consume: ${topic}-${partition} has no offset ${offset}: going on at ${nearest}\n`)
      return nearest
    }
  }

  /** The first offset behind the damage that can be read. What is passed over is said: nothing is dropped silently. */
  async #passDamage(partition: number, damaged: number): Promise<number> {
    const { topic } = this.#options
    const offset = await endOfDamage(this.#client, topic, partition, damaged)
    const lost = offset === damaged + 1 ? `offset ${damaged}` : `the offsets ${damaged} to ${offset - 1}`
    process.stderr.write(
      `mykafka consume: CORRUPT_MESSAGE: ${topic}-${partition} lost ${lost}: going on at ${offset}\n`,
    )
    return offset
  }

  /** Prints when it is this batch's turn. Returns the offset to go on from. */
  async #print(partition: number, records: LogRecord[]): Promise<number> {
    const turn = this.#printing.then(() => this.#printNow(partition, records))
    this.#printing = turn.then(() => {})
    this.#printing.catch(() => {})
    return await turn
  }

  async #printNow(partition: number, records: LogRecord[]): Promise<number> {
    const { formatter, group } = this.#options
    const first = records[0]?.offset ?? 0
    if (this.#ending.signal.aborted) return first
    const printed = records.slice(0, this.#left)
    this.#left -= printed.length
    await this.#output.write(formatter.format(printed))
    const next = (printed.at(-1)?.offset ?? first - 1) + 1
    await group?.printed(partition, next)
    if (this.#left === 0) this.#ending.abort()
    this.#restartIdleTimer()
    return next
  }

  #restartIdleTimer(): void {
    const { timeoutMs } = this.#options
    if (timeoutMs === undefined) return
    if (this.#idleTimer === null) this.#idleTimer = setTimeout(() => this.#ending.abort(), timeoutMs)
    else this.#idleTimer.refresh()
  }
}
