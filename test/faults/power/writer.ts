import type { Random } from '../../support/seeded-random.js'
import type { Content } from './content.js'
import type { Life } from './life.js'
import type { PartitionLedger, Sent, SentBy } from './partition-ledger.js'
import { type Acks, type FsyncPolicy, modeOf } from './promise.js'
import { kafkaSender, myKafkaSender, newProducerId, type Outgoing, type Sender } from './sending.js'

export type Wire = 'MyKafka' | 'Kafka'

export interface WriterOptions {
  readonly number: number
  readonly wire: Wire
  readonly acks: Acks
  readonly idempotent: boolean
  readonly partitions: readonly PartitionLedger[]
  readonly inFlight: number
}

/** What all writers of a round share. */
export interface WritingContext {
  readonly content: Content
  readonly fsync: FsyncPolicy
  /** The producer ids that were given so far. */
  readonly producerIds: Set<number>
  readonly wrong: string[]
}

/** In one life: what is written is read again behind each start. */
const MOST_REQUESTS = 150
const MOST_RECORDS = 12
/** Of a stored record beside its value, or more. */
const RECORD_OVERHEAD = 45

/** A producer that writes on behind each start of the broker, and knows of each of its records what became of it. */
export class Writer implements SentBy {
  readonly number: number
  readonly acks: Acks
  readonly mode: string
  protected readonly context: WritingContext
  readonly #options: WriterOptions
  readonly #random: Random
  /** By the numbers of their records. */
  readonly #sent: Sent[] = []
  #producerId = -1
  #sequences = new Map<PartitionLedger, number>()
  /** What its present number has sent and has no answer to. */
  readonly #unanswered = new Set<Sent>()
  #again: Sent[] = []

  constructor(options: WriterOptions, context: WritingContext, random: Random) {
    this.#options = options
    this.context = context
    this.#random = random
    this.number = options.number
    this.acks = options.acks
    this.mode = modeOf(context.fsync, options.acks)
  }

  sentAs(sequence: number): Sent | undefined {
    return this.#sent[sequence]
  }

  /** The key of its record of this number. */
  keyOf(sequence: number): Buffer {
    return this.context.content.key({ writer: this.number, sequence })
  }

  valueOf(sequence: number): Buffer | null {
    return this.context.content.value({ writer: this.number, sequence })
  }

  /**
   * Behind a bad end: an idempotent producer sends again what was not answered, as clients do, or begins anew where
   * something of it may be lost, which breaks the row of its numbers.
   */
  resume(isPromised: boolean): void {
    if (isPromised && this.#options.idempotent) {
      this.#again = [...this.#unanswered]
      return
    }
    this.#again = []
    this.#unanswered.clear()
    this.#producerId = -1
    this.#sequences = new Map()
  }

  async write(port: number, life: Life): Promise<void> {
    let sender: Sender
    try {
      sender = await this.#connect(port)
    } catch (error) {
      life.failed(error)
      return
    }
    let left = MOST_REQUESTS
    await life.keepUp(this.#options.inFlight, async () => {
      if (left-- === 0) return 'enough'
      const request = this.#takeAgain() ?? this.next()
      const base = await this.#send(sender, request)
      if (!life.isAnswering) return 'enough'
      this.#unanswered.delete(request)
      const contradiction = request.partition.answered(request, base)
      if (contradiction !== null) this.context.wrong.push(contradiction)
      life.acknowledged('records', this.mode, request.count)
      return 'more'
    })
    sender.close()
  }

  async #connect(port: number): Promise<Sender> {
    const { wire, acks, idempotent } = this.#options
    if (idempotent && this.#producerId < 0) {
      this.#producerId = await newProducerId(port)
      const { producerIds, wrong, fsync } = this.context
      // Without syncs nothing keeps a block of ids from being given again.
      if (producerIds.has(this.#producerId) && fsync !== 'never')
        wrong.push(`producer id ${this.#producerId} is given twice`)
      producerIds.add(this.#producerId)
    }
    return wire === 'MyKafka' ? await myKafkaSender(port) : await kafkaSender(port, acks)
  }

  #takeAgain(): Sent | undefined {
    const request = this.#again.shift()
    // What was not there is to come now.
    if (request?.kept === 0) {
      request.kept = null
      request.partition.send(request)
    }
    return request
  }

  /** A request to be sent: one of its partitions has it in its account from now on. */
  protected next(): Sent {
    const partition = this.#random.pick(this.#options.partitions)
    const sequence = this.#options.idempotent ? (this.#sequences.get(partition) ?? 0) : -1
    const [first, count] = [this.#sent.length, this.#random.integer(1, MOST_RECORDS)]
    if (sequence >= 0) this.#sequences.set(partition, sequence + count)
    let bytes = 0
    for (let i = first; i < first + count; i++) bytes += (this.valueOf(i)?.length ?? 0) + RECORD_OVERHEAD
    const state = { base: null, answered: false, kept: null }
    const request: Sent = { writer: this.number, partition, first, count, bytes, sequence, ...state }
    for (let i = 0; i < count; i++) this.#sent.push(request)
    partition.send(request)
    this.#unanswered.add(request)
    return request
  }

  #send(sender: Sender, { partition, first, count, sequence }: Sent): Promise<number> {
    const records: Outgoing[] = Array.from({ length: count }, (_, index) => {
      return { key: this.keyOf(first + index), value: this.valueOf(first + index) }
    })
    const identity = sequence < 0 ? undefined : { producerId: this.#producerId, sequence }
    return sender.send(partition.topic, partition.partition, records, identity)
  }
}
