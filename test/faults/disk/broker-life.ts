/** A short life of a broker's engine, decided by a seed. */
import type { RecordFormat } from '../../../src/log/record-format.js'
import { isInternalTopic, type Topic } from '../../../src/topic/topic.js'
import { encodeAppend } from '../../support/log-life/encoding.js'
import type { Append } from '../../support/log-life/operations.js'
import { type Engine, openEngine } from './engine.js'
import type { Sent } from './marks.js'
import { OPENINGS, RecordedLife } from './recorded-life.js'

const TOPICS = ['a', 'b', 'c'] as const
const GROUPS = ['g', 'h'] as const
const MOST_PARTITIONS = 3
export class BrokerLife extends RecordedLife {
  /** Next sequences of idempotent producers, by partition's directory and topic id. */
  readonly #producers = new Map<string, { producerId: number; nextSequence: number }>()
  #engine: Engine | null = null

  async run(): Promise<void> {
    await this.#open()
    for (let i = 0; i < this.task.operations && this.#engine !== null; i++) {
      await this.#next()
      this.seeMapped()
    }
    await this.#close()
  }

  get #logs() {
    return (this.#engine as Engine).logs
  }

  async #open(): Promise<void> {
    for (let i = 0; i < OPENINGS && this.#engine === null; i++) {
      await this.do({ do: 'open' }, async () => {
        this.#engine = await openEngine(this.task.directory, this.task.settings, this.logger)
        return { id: this.#engine.logs.identity.clusterId }
      })
    }
    this.seeMapped()
  }

  async #close(): Promise<void> {
    const engine = this.#engine
    if (engine === null) return
    this.#engine = null
    this.#producers.clear()
    await this.do({ do: 'close' }, async () => {
      await engine.close()
      return {}
    })
  }

  async #next(): Promise<void> {
    const random = this.random
    const topics = this.#logs.topics().filter(({ name }) => !isInternalTopic(name))
    const kind = random.next()
    if (topics.length === 0 || (kind < 0.06 && topics.length < TOPICS.length)) return await this.#create(topics)
    const topic = random.pick(topics)
    if (kind < 0.55) return await this.#sendSome(topics)
    if (kind < 0.65) return await this.#compact(topics)
    if (kind < 0.72) return await this.#commit(topic)
    if (kind < 0.78) return await this.#deleteRecords(topic)
    if (kind < 0.84) return await this.#retention()
    if (kind < 0.87) return await this.#grow(topic)
    if (kind < 0.9) return await this.#alter(topic)
    if (kind < 0.94) return await this.#delete(topic)
    if (kind < 0.96) return await this.#flush(topic)
    await this.#close()
    await this.#open()
  }

  async #create(topics: readonly Topic[]): Promise<void> {
    const random = this.random
    const topic = random.pick(TOPICS.filter((name) => !topics.some((other) => other.name === name)))
    const format: RecordFormat = random.pick(['mykafka', 'kafka'] as const)
    const partitions = random.integer(1, 2)
    const policy = random.pick(['delete', 'compact', 'compact'])
    const config: Record<string, string> = {
      'cleanup.policy': policy,
      'file.delete.delay.ms': random.pick(['0', '60000']),
    }
    if (policy === 'delete') config['retention.bytes'] = String(random.integer(1000, 4000))
    else {
      config['min.cleanable.dirty.ratio'] = '0'
      config['delete.retention.ms'] = random.pick(['0', '86400000'])
    }
    await this.do({ do: 'create', topic, format, partitions, config }, async () => {
      const { id } = await this.#logs.createTopic(topic, partitions, config, format)
      return { id }
    })
  }

  /** Appends side by side. */
  async #sendSome(topics: readonly Topic[]): Promise<void> {
    const random = this.random
    const count = random.integer(1, 3)
    await Promise.all(Array.from({ length: count }, () => this.#send(random.pick(topics))))
  }

  async #send(topic: Topic): Promise<void> {
    const random = this.random
    const { name, recordFormat } = topic
    const partition = random.integer(0, topic.partitions.length - 1)
    const acks = random.pick([1, 'all', 'all'] as const)
    const records = Array.from({ length: random.integer(1, 3) }, () => this.record())
    const append: Append = {
      records: records.map(([key, value]) => ({ key, value, age: 0, header: null })),
      acks,
      codec: 0,
      logAppendTime: false,
      producer: null,
    }
    const sequence = recordFormat === 'kafka' && random.next() < 0.5 ? this.#sequence(topic, partition, records) : null
    const batch = await encodeAppend(recordFormat, append, Date.now(), sequence)
    await this.do({ do: 'send', topic: name, partition, acks, records }, async () => {
      const producer = sequence === null ? undefined : { ...sequence, recordCount: records.length }
      const { baseOffset, duplicate } = await this.#logs.partition(name, partition).append([batch], acks, producer)
      if (duplicate) throw new Error(`a new batch was taken for the one at ${baseOffset}`)
      return { base: baseOffset }
    })
  }

  #sequence({ id }: Topic, partition: number, records: readonly Sent[]) {
    const place = `${id} ${partition}`
    const producer = this.#producers.get(place) ?? { producerId: this.task.seed * 1000 + this.asked, nextSequence: 0 }
    this.#producers.set(place, producer)
    const baseSequence = producer.nextSequence
    producer.nextSequence += records.length
    return { producerId: producer.producerId, producerEpoch: 0, baseSequence }
  }

  /** The log that needs it most, with appends beside it. */
  async #compact(topics: readonly Topic[]): Promise<void> {
    const work = this.do({ do: 'compact' }, async () => {
      await this.#logs.compactDirtiest()
      return {}
    })
    await Promise.all([work, ...(this.random.next() < 0.3 ? [this.#sendSome(topics)] : [])])
  }

  async #commit(topic: Topic): Promise<void> {
    const partition = this.random.integer(0, topic.partitions.length - 1)
    const end = topic.partitions[partition]?.logEndOffset
    if (end === undefined) return
    const offset = this.random.integer(Math.max(0, end - 4), end)
    const group = this.random.pick(GROUPS)
    await this.do({ do: 'commit', group, topic: topic.name, partition, offset }, async () => {
      const commit = { topic: topic.name, partition, offset, leaderEpoch: -1, metadata: '' }
      await (this.#engine as Engine).groups.offsets.commit(group, [commit])
      return {}
    })
  }

  async #deleteRecords(topic: Topic): Promise<void> {
    const partition = this.random.integer(0, topic.partitions.length - 1)
    const log = topic.partitions[partition]
    if (!log || !topic.settings.deletes) return
    const offset = this.random.integer(log.logStartOffset, log.logEndOffset)
    await this.do({ do: 'delete-records', topic: topic.name, partition, offset }, async () => {
      await this.#logs.deleteRecords(topic.name, partition, offset)
      return {}
    })
  }

  async #retention(): Promise<void> {
    await this.do({ do: 'retention' }, async () => {
      await this.#logs.retention.check()
      const starts = this.#logs
        .topics()
        .flatMap(({ name, partitions }) =>
          partitions.map((log, partition) => [`${name} ${partition}`, log?.logStartOffset ?? 0] as const),
        )
      return { starts: Object.fromEntries(starts) }
    })
  }

  async #grow({ name, partitions }: Topic): Promise<void> {
    if (partitions.length >= MOST_PARTITIONS) return
    const count = this.random.integer(partitions.length + 1, MOST_PARTITIONS)
    await this.do({ do: 'grow', topic: name, partitions: count }, async () => {
      await this.#logs.createPartitions(name, count)
      return {}
    })
  }

  async #alter({ name, config }: Topic): Promise<void> {
    const altered = { ...config, 'file.delete.delay.ms': String(this.random.integer(0, 1000)) }
    await this.do({ do: 'alter', topic: name, config: altered }, async () => {
      await this.#logs.alterConfig(name, () => altered)
      return {}
    })
  }

  async #delete({ name }: Topic): Promise<void> {
    await this.do({ do: 'delete', topic: name }, async () => {
      await this.#logs.deleteTopic(name)
      return {}
    })
  }

  async #flush({ partitions }: Topic): Promise<void> {
    await this.do({ do: 'flush' }, async () => {
      for (const log of partitions) await log?.flush()
      return {}
    })
  }
}
