import { MyKafkaError } from '../../errors.js'
import { checkTopicName } from '../../topic/topic-name.js'
import { checkInteger, MAX_INT32 } from '../options.js'
import { type CallOptions, UNKNOWN_TOPIC } from '../transport.js'
import type { SubscribeOptions } from './consumer-options.js'
import type { Offsets } from './offsets.js'
import type { TopicPartition } from './topic-partition.js'

/** Topics, of which a consumer reads all partitions or its share. */
export class Subscription {
  readonly topics: readonly string[]
  readonly #offsets: Offsets
  readonly #member: number
  readonly #of: number

  /** @throws MyKafkaError INVALID_ARGUMENT, INVALID_TOPIC_EXCEPTION */
  constructor(topics: readonly string[], { member, of }: SubscribeOptions, offsets: Offsets) {
    this.topics = [...new Set(topics)]
    for (const topic of this.topics) checkTopicName(topic)
    if ((member === undefined) !== (of === undefined)) {
      throw new MyKafkaError('INVALID_ARGUMENT', 'member and of go together: member 0 of 2, member 1 of 2')
    }
    this.#of = checkInteger('of', of ?? 1, 1, MAX_INT32)
    this.#member = checkInteger('member', member ?? 0, 0, this.#of - 1)
    this.#offsets = offsets
  }

  /**
   * The partitions that are this member's now.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION
   */
  async partitions(options?: CallOptions): Promise<TopicPartition[]> {
    return await this.#mine(this.topics.map((topic) => this.#offsets.partitionsOf(topic, options)))
  }

  /** The same, but for topics that were deleted. */
  async existingPartitions(): Promise<TopicPartition[]> {
    const none = (error: unknown): [] => {
      if (error instanceof MyKafkaError && UNKNOWN_TOPIC.has(error.code)) return []
      throw error
    }
    return await this.#mine(this.topics.map((topic) => this.#offsets.partitionsOf(topic).catch(none)))
  }

  async #mine(described: readonly Promise<readonly unknown[]>[]): Promise<TopicPartition[]> {
    const partitions = (await Promise.all(described)).map((all, i) =>
      all.map((_, partition) => ({ topic: this.topics[i] as string, partition })),
    )
    return partitions.flat().filter(({ partition }) => partition % this.#of === this.#member)
  }
}
