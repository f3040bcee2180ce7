import { KAFKA_ERRORS } from '../../../errors.js'
import type { OffsetCommit } from '../../../topic/offset-store.js'
import type { Topic } from '../../../topic/topic.js'
import {
  type OffsetCommitRequest,
  type OffsetCommitRequestPartition,
  type OffsetCommitResponse,
  offsetCommitApi,
} from '../../../wire/kafka/generated/offset-commit.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'
import { checkExists, checkPartitions } from '../named-partitions.js'

/** Before that, clients do not know GROUP_ID_NOT_FOUND. */
const FIRST_WITH_GROUP_ID_NOT_FOUND = 9

/**
 * OffsetCommit 2–9: all offsets of a request in one append. `retention_time_ms` (2–4) is not heeded:
 * `offsets.retention.minutes` holds.
 */
export const offsetCommit: KafkaHandler<OffsetCommitRequest, OffsetCommitResponse> = {
  api: offsetCommitApi,
  versions: [2, 9],
  async handle(request, call) {
    const { logs } = call.context
    const named = checkPartitions(request.topics, (topic, asked) => check(logs.topic(topic), asked))
    const offsets = named.accepted.map(
      ({ topic, partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata }): OffsetCommit => ({
        topic,
        partition: partitionIndex,
        offset: committedOffset,
        leaderEpoch: committedLeaderEpoch,
        metadata: committedMetadata ?? '',
      }),
    )
    return { topics: named.answer(await commit(request, offsets, call)) }
  },
  failed: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  }),
}

/** The error of one offset by itself, 0 for none. */
function check(topic: Topic | undefined, { partitionIndex, committedOffset }: OffsetCommitRequestPartition): number {
  const unknown = checkExists(topic, partitionIndex)
  if (unknown !== 0) return unknown
  // No log reaches it: it stands for whatever is larger, and could not be given back.
  return committedOffset === Number.MAX_SAFE_INTEGER ? KAFKA_ERRORS.INVALID_COMMIT_OFFSET_SIZE.wire : 0
}

/** The error of each offset, in their order. */
async function commit(
  { groupId, memberId, groupInstanceId, generationIdOrMemberEpoch }: OffsetCommitRequest,
  offsets: readonly OffsetCommit[],
  { context, version }: KafkaCall,
): Promise<number[]> {
  if (offsets.length === 0) return []
  const { wire: notFound } = KAFKA_ERRORS.GROUP_ID_NOT_FOUND
  try {
    const generationId = generationIdOrMemberEpoch
    const codes = await context.groups.commit({ groupId, memberId, groupInstanceId, generationId, offsets })
    if (version >= FIRST_WITH_GROUP_ID_NOT_FOUND) return codes
    return codes.map((code) => (code === notFound ? KAFKA_ERRORS.ILLEGAL_GENERATION.wire : code))
  } catch (error) {
    const code = context.failures.report('OffsetCommit', error)
    // Clients try again behind the one and give up behind the other.
    const told = code === KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire ? KAFKA_ERRORS.COORDINATOR_NOT_AVAILABLE.wire : code
    return offsets.map(() => told)
  }
}
