import { MyKafkaError } from '../../errors.js'
import { checkTopicName } from '../../topic/topic-name.js'
import { checkInteger } from '../options.js'
import type { CallOptions } from '../transport.js'
import type { SubscribeOptions } from './consumer-options.js'
import type { Offsets } from './offsets.js'
import type { TopicPartition } from './topic-partition.js'

const MAX_INT32 = 0x7fffffff

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
    const ofTopics = this.topics.map(async (topic): Promise<TopicPartition[]> => {
      const all = await this.#offsets.partitionsOf(topic, options)
      return all.map((_, partition) => ({ topic, partition }))
    })
    return (await Promise.all(ofTopics)).flat().filter(({ partition }) => partition % this.#of === this.#member)
  }
}
