import { KAFKA_ERRORS, MyKafkaError } from '../../../errors.js'
import { type ConversionLimits, conversionLimits } from '../../../log/conversion/limits.js'
import type { PartitionLog } from '../../../log/partition-log.js'
import {
  type ListOffsetsRequest,
  type ListOffsetsRequestPartition,
  type ListOffsetsRequestTopic,
  type ListOffsetsResponse,
  type ListOffsetsResponsePartition,
  listOffsetsApi,
} from '../../../wire/kafka/generated/list-offsets.js'
import { grouped, repeated } from '../grouped.js'
import { areMany, behindTurn, sideBySideInTurns } from '../in-turns.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'
import { checkLeaderEpoch, LEADER_EPOCH, NO_EPOCH } from '../leadership.js'
import { findByTimestamp } from '../timestamp-lookup.js'

/** What a timestamp below 0 asks for. */
const ASK = { latest: -1, earliest: -2, largestTimestamp: -3, earliestLocal: -4, latestTiered: -5 } as const
/** The first version that may ask for it. */
const FIRST_VERSION: Record<number, number> = {
  [ASK.latest]: 1,
  [ASK.earliest]: 1,
  [ASK.largestTimestamp]: 7,
  [ASK.earliestLocal]: 8,
  [ASK.latestTiered]: 9,
}

const UNKNOWN_PARTITION = KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire
const NO_TIMESTAMP = -1
const NO_OFFSET = -1

/** What answers a question: offset and timestamp of a record, or an end of the log. */
interface Found {
  readonly offset: number
  readonly timestamp: number
}

const NOTHING: Found = { offset: NO_OFFSET, timestamp: NO_TIMESTAMP }

/**
 * ListOffsets 1–9: the ends of a log, and the first record from a time on. A partition that is there more than once is
 * refused, as Kafka does.
 */
export const listOffsets: KafkaHandler<ListOffsetsRequest, ListOffsetsResponse> = {
  api: listOffsetsApi,
  versions: [1, 9],
  async handle({ topics }, call) {
    const asked = topics.flatMap(({ name, partitions }) => partitions.map((each) => ({ name, each })))
    const twice = repeatedPartitions(areMany(asked.length) ? await behindTurn(topics) : topics)
    const respond = (name: string, each: ListOffsetsRequestPartition) =>
      twice.get(name)?.has(each.partitionIndex) ? refused(each) : answer(name, each, call)
    const answers = await sideBySideInTurns(asked, async ({ name, each }) => await respond(name, each))
    const rest = answers.values()
    return {
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(() => rest.next().value as ListOffsetsResponsePartition),
      })),
    }
  },
  failed: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  }),
}

/** By topic, the partitions that are named more than once. */
function repeatedPartitions(topics: readonly ListOffsetsRequestTopic[]): Map<string, Set<number>> {
  const named = [...grouped(topics, ({ name }) => name)]
  return new Map(
    named.map(([name, asked]) => [
      name,
      repeated(asked.flatMap(({ partitions }) => partitions.map(({ partitionIndex }) => partitionIndex))),
    ]),
  )
}

function refused({ partitionIndex }: ListOffsetsRequestPartition): ListOffsetsResponsePartition {
  return { partitionIndex, errorCode: KAFKA_ERRORS.INVALID_REQUEST.wire }
}

async function answer(
  name: string,
  { partitionIndex, currentLeaderEpoch, timestamp }: ListOffsetsRequestPartition,
  { version, context }: KafkaCall,
): Promise<ListOffsetsResponsePartition> {
  if (!context.logs.hasPartition(name, partitionIndex)) return { partitionIndex, errorCode: UNKNOWN_PARTITION }
  try {
    if (timestamp < 0 && !(version >= (FIRST_VERSION[timestamp] ?? Number.POSITIVE_INFINITY))) {
      throw new MyKafkaError('UNSUPPORTED_VERSION', `ListOffsets ${version} cannot ask for the timestamp ${timestamp}`)
    }
    const log = context.logs.partition(name, partitionIndex)
    checkLeaderEpoch(currentLeaderEpoch)
    const found = await find(log, timestamp, conversionLimits(context.config.maxFrameBytes))
    const leaderEpoch = found.offset === NO_OFFSET ? NO_EPOCH : LEADER_EPOCH
    return { partitionIndex, errorCode: 0, ...found, leaderEpoch }
  } catch (error) {
    return { partitionIndex, errorCode: context.failures.report('ListOffsets', error) }
  }
}

/** There are no transactions: for all who read, the log ends at the high watermark. */
async function find(log: PartitionLog, timestamp: number, limits: ConversionLimits): Promise<Found> {
  switch (timestamp) {
    case ASK.latest:
      return { offset: log.highWatermark, timestamp: NO_TIMESTAMP }
    case ASK.earliest:
    case ASK.earliestLocal:
      return { offset: log.logStartOffset, timestamp: NO_TIMESTAMP }
    case ASK.latestTiered:
      return NOTHING
    case ASK.largestTimestamp:
      return (await findByTimestamp(log, Number.POSITIVE_INFINITY, limits)) ?? NOTHING
    default:
      return (await findByTimestamp(log, timestamp, limits)) ?? NOTHING
  }
}
