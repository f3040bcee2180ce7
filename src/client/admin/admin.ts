import type { TopicStorage } from '../../wire/mykafka/describe-storage.js'
import type { TopicPartition } from '../topic-partition.js'
import { type CallOptions, handled, type Transport } from '../transport.js'
import { AdminCalls, type AdminOptions } from './calls.js'
import * as configs from './configs.js'
import { describeGroupLags, type GroupLag } from './group-lag.js'
import * as groupOffsets from './group-offsets.js'
import * as groups from './groups.js'
import { type OffsetReset, type ResetOptions, resetGroupOffsets } from './offset-reset.js'
import { listOffsets, type OffsetSpec } from './offsets.js'
import * as topics from './topics.js'

/**
 * Administration of topics, configurations, groups and their offsets. What MyKafka's wire can say is asked over it, the
 * rest over Kafka's, on the same port.
 *
 * A call whose connection goes away is repeated: what was done before without an answer then shows as done, so that a
 * creation finds the topic there, a deletion finds it gone. Every failure is a {@link MyKafkaError} with Kafka's name; one
 * of a call that nobody awaits is not reported as an unhandled rejection.
 */
export class Admin {
  readonly #calls: AdminCalls

  /** @throws MyKafkaError INVALID_ARGUMENT */
  constructor(transport: Transport, options?: AdminOptions) {
    this.#calls = new AdminCalls(transport, options)
  }

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#calls.closed
  }

  /** Rejects what is under way, and what is asked later. The connections are its {@link Kafka}'s. */
  async close(): Promise<void> {
    this.#calls.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Creates a topic. One that exists is left as it is.
   *
   * @throws MyKafkaError INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS, INVALID_CONFIG
   */
  createTopic(topic: string, options?: topics.NewTopicOptions): Promise<'created' | 'exists'> {
    return handled(topics.createTopic(this.#calls, topic, options))
  }

  /** The names of all topics but the broker's own, in their order. */
  listTopics(options?: CallOptions): Promise<string[]> {
    const described = topics.describeTopics(this.#calls, undefined, options)
    return handled(described.then((all) => all.map(({ topic }) => topic)))
  }

  /**
   * Topics by name, or all but the broker's own: partitions, with the ends of their logs.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION
   */
  describeTopics(names?: readonly string[], options?: CallOptions): Promise<topics.TopicDescription[]> {
    return handled(topics.describeTopics(this.#calls, names, options))
  }

  /** What a topic has on the broker's disk: its segments, and what keeps each of them. */
  describeStorage(topic: string, options?: CallOptions): Promise<TopicStorage> {
    return handled(this.#calls.mykafka(options, (client) => client.describeStorage(topic)))
  }

  /**
   * Adds partitions to a topic: keys move, see `mykafka partitions plan`.
   *
   * @param count - how many it is to have: more than it has
   * @throws MyKafkaError INVALID_PARTITIONS, UNKNOWN_TOPIC_OR_PARTITION
   */
  createPartitions(topic: string, count: number, options?: CallOptions): Promise<void> {
    return handled(topics.createPartitions(this.#calls, topic, count, options))
  }

  /**
   * Deletes a topic, its records, and what groups committed for it.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION
   */
  deleteTopic(topic: string, options?: CallOptions): Promise<void> {
    return handled(topics.deleteTopic(this.#calls, topic, options))
  }

  /** The configurations of topics, by topic. @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION */
  describeConfigs(names: readonly string[], options?: CallOptions): Promise<Map<string, configs.ConfigEntry[]>> {
    return handled(configs.describeConfigs(this.#calls, names, options))
  }

  /** The configurations of the broker. */
  describeBrokerConfigs(options?: CallOptions): Promise<configs.ConfigEntry[]> {
    return handled(configs.describeBrokerConfigs(this.#calls, options))
  }

  /** Changes configurations of a topic, all or none; null takes one back. @throws MyKafkaError INVALID_CONFIG */
  alterConfigs(topic: string, changes: Readonly<Record<string, string | null>>, options?: CallOptions): Promise<void> {
    return handled(configs.alterConfigs(this.#calls, topic, changes, options))
  }

  /** An offset of each partition of a topic, by partition; null where no record is so, or the partition is offline. */
  listOffsets(topic: string, spec: OffsetSpec, options?: CallOptions): Promise<Map<number, number | null>> {
    return handled(listOffsets(this.#calls, topic, spec, options))
  }

  /** All groups, those that only commit too, in the order of their names. */
  listGroups(options?: CallOptions): Promise<groups.GroupListing[]> {
    return handled(groups.listGroups(this.#calls, options))
  }

  /** Groups by name, or all, with their live members. @throws MyKafkaError GROUP_ID_NOT_FOUND */
  describeGroups(groupIds?: readonly string[], options?: CallOptions): Promise<groups.GroupDescription[]> {
    return handled(groups.describeGroups(this.#calls, groupIds, options))
  }

  /**
   * The same, and how far each is with its partitions: committed offset, log end, lag and member.
   *
   * @throws MyKafkaError GROUP_ID_NOT_FOUND
   */
  describeGroupLags(groupIds?: readonly string[], options?: CallOptions): Promise<GroupLag[]> {
    return handled(describeGroupLags(this.#calls, groupIds, options))
  }

  /** Deletes groups without members, and all that they committed. @throws MyKafkaError NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND */
  deleteGroups(groupIds: readonly string[], options?: CallOptions): Promise<void> {
    return handled(groups.deleteGroups(this.#calls, groupIds, options))
  }

  /** What a group committed, by topic and partition in their order. A group that is not there committed nothing. */
  listGroupOffsets(groupId: string, options?: CallOptions): Promise<groupOffsets.GroupOffset[]> {
    return handled(groupOffsets.listGroupOffsets(this.#calls, groupId, options))
  }

  /**
   * Commits offsets for a group, whether it is there yet or not, all in one append. They are not held against the log.
   *
   * @throws MyKafkaError UNKNOWN_MEMBER_ID where it has live members: they commit themselves
   */
  alterGroupOffsets(
    groupId: string,
    offsets: readonly groupOffsets.NewGroupOffset[],
    options?: CallOptions,
  ): Promise<void> {
    return handled(groupOffsets.alterGroupOffsets(this.#calls, groupId, offsets, options))
  }

  /** Forgets what a group committed for partitions. @throws MyKafkaError GROUP_SUBSCRIBED_TO_TOPIC, GROUP_ID_NOT_FOUND */
  deleteGroupOffsets(groupId: string, partitions: readonly TopicPartition[], options?: CallOptions): Promise<void> {
    return handled(groupOffsets.deleteGroupOffsets(this.#calls, groupId, partitions, options))
  }

  /**
   * Sets where a group without members goes on, within the logs, all in one append. It tells what it did, or would do.
   *
   * @throws MyKafkaError NON_EMPTY_GROUP where the group has live members, GROUP_ID_NOT_FOUND, UNKNOWN_TOPIC_OR_PARTITION
   */
  resetGroupOffsets(groupId: string, options: ResetOptions): Promise<OffsetReset[]> {
    return handled(resetGroupOffsets(this.#calls, groupId, options))
  }
}
