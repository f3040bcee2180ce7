import { KAFKA_ERRORS } from '../../../errors.js'
import {
  type OffsetForLeaderEpochRequest,
  type OffsetForLeaderEpochRequestPartition,
  type OffsetForLeaderEpochResponse,
  type OffsetForLeaderEpochResponsePartition,
  offsetForLeaderEpochApi,
} from '../../../wire/kafka/generated/offset-for-leader-epoch.js'
import { inTurns } from '../in-turns.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'
import { checkLeaderEpoch, LEADER_EPOCH, NO_EPOCH } from '../leadership.js'

const NO_OFFSET = -1

/** OffsetForLeaderEpoch 2–4: where an epoch of the leader ends. There is one, which ends at the log's end. */
export const offsetForLeaderEpoch: KafkaHandler<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> = {
  api: offsetForLeaderEpochApi,
  versions: [2, 4],
  async handle({ topics }, { context }) {
    const asked = topics.flatMap(({ topic, partitions }) => partitions.map((each) => ({ topic, each })))
    const answers = await inTurns(asked, ({ topic, each }) => endOfEpoch(topic, each, context))
    const rest = answers.values()
    return {
      topics: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(() => rest.next().value as OffsetForLeaderEpochResponsePartition),
      })),
    }
  },
  failed: ({ topics }, errorCode) => ({
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition }) => ({ errorCode, partition })),
    })),
  }),
}

function endOfEpoch(
  topic: string,
  { partition, currentLeaderEpoch, leaderEpoch }: OffsetForLeaderEpochRequestPartition,
  { logs, failures }: KafkaContext,
): OffsetForLeaderEpochResponsePartition {
  if (!logs.hasPartition(topic, partition)) {
    return { errorCode: KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire, partition }
  }
  try {
    const log = logs.partition(topic, partition)
    checkLeaderEpoch(currentLeaderEpoch)
    const known = leaderEpoch === LEADER_EPOCH
    return {
      errorCode: 0,
      partition,
      leaderEpoch: known ? LEADER_EPOCH : NO_EPOCH,
      endOffset: known ? log.logEndOffset : NO_OFFSET,
    }
  } catch (error) {
    return { errorCode: failures.report('OffsetForLeaderEpoch', error), partition }
  }
}
