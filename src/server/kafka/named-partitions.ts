import { KAFKA_ERRORS } from '../../errors.js'
import type { Topic } from '../../topic/topic.js'

/** The partitions that a request of groups names, not all of which it can be done for. */
export interface NamedPartitions<Asked> {
  /** Those for which it can, in the order of the request. */
  readonly accepted: readonly (Asked & { readonly topic: string })[]
  /**
   * The answer, in the shape of the request.
   *
   * @param codes - the error of each of those that were accepted, in their order
   */
  answer(codes: readonly number[]): { name: string; partitions: { partitionIndex: number; errorCode: number }[] }[]
}

/**
 * Checks each partition, once: the answer is right also where a topic is deleted meanwhile.
 *
 * @param check - the error of one for itself, 0 for none
 */
export function checkPartitions<Asked extends { readonly partitionIndex: number }>(
  topics: readonly { readonly name: string; readonly partitions: readonly Asked[] }[],
  check: (topic: string, asked: Asked) => number,
): NamedPartitions<Asked> {
  const checked = topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((asked) => ({ asked: { ...asked, topic: name }, errorCode: check(name, asked) })),
  }))
  return {
    accepted: checked.flatMap(({ partitions }) =>
      partitions.filter(({ errorCode }) => errorCode === 0).map(({ asked }) => asked),
    ),
    answer(codes) {
      const rest = codes.values()
      return checked.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ asked: { partitionIndex }, errorCode }) => ({
          partitionIndex,
          errorCode: errorCode === 0 ? (rest.next().value ?? 0) : errorCode,
        })),
      }))
    },
  }
}

/** UNKNOWN_TOPIC_OR_PARTITION where there is no such partition, 0 where there is. */
export function checkExists(topic: Topic | undefined, partitionIndex: number): number {
  return topic?.partitions[partitionIndex] === undefined ? KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire : 0
}
