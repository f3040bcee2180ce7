import type { CommittedOffset } from '../../../topic/offset-value.js'
import {
  type OffsetFetchRequest,
  type OffsetFetchRequestGroup,
  type OffsetFetchRequestTopic,
  type OffsetFetchResponse,
  type OffsetFetchResponsePartition,
  type OffsetFetchResponseTopic,
  offsetFetchApi,
} from '../../../wire/kafka/generated/offset-fetch.js'
import { grouped } from '../grouped.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'

/** From here on a request names several groups. */
const FIRST_WITH_GROUPS = 8
const NONE: Omit<CommittedOffset, 'timestamp'> = { offset: -1, leaderEpoch: -1, metadata: '' }

/**
 * OffsetFetch 1–9: what groups committed, for the partitions named or for all. Without transactions every offset is
 * stable, so `require_stable` changes nothing.
 */
export const offsetFetch: KafkaHandler<OffsetFetchRequest, OffsetFetchResponse> = {
  api: offsetFetchApi,
  versions: [1, 9],
  handle({ groupId, topics, groups }, { version, context }) {
    if (version < FIRST_WITH_GROUPS) return { errorCode: 0, topics: fetch(groupId, topics, context), groups: [] }
    return {
      topics: [],
      groups: [...grouped(groups, (asked) => asked.groupId)].map(([id, asked]) => ({
        groupId: id,
        topics: fetch(id, topicsOf(asked), context),
        errorCode: 0,
      })),
    }
  },
  failed: ({ topics, groups }, errorCode) => ({
    errorCode,
    // Version 1 has no other place for it.
    topics: (topics ?? []).map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partition) => describe(partition, NONE, errorCode)),
    })),
    groups: groups.map(({ groupId }) => ({ groupId, topics: [], errorCode })),
  }),
}

/** All topics where one of the questions is for all. */
function topicsOf(asked: readonly OffsetFetchRequestGroup[]): readonly OffsetFetchRequestTopic[] | null {
  const named = asked.flatMap(({ topics }) => topics ?? [])
  return asked.some(({ topics }) => topics === null) ? null : named
}

/** @param topics - null: all that the group committed */
function fetch(
  groupId: string,
  topics: readonly OffsetFetchRequestTopic[] | null,
  { groups: { offsets } }: KafkaContext,
): OffsetFetchResponseTopic[] {
  if (topics !== null) {
    return [...grouped(topics, ({ name }) => name)].map(([name, asked]) => ({
      name,
      partitions: [...new Set(asked.flatMap(({ partitionIndexes }) => partitionIndexes))].map((partition) =>
        describe(partition, offsets.committed(groupId, name, partition) ?? NONE),
      ),
    }))
  }
  const byTopic = new Map<string, OffsetFetchResponsePartition[]>()
  for (const { key, ...committed } of offsets.ofGroup(groupId)) {
    const partitions = byTopic.get(key.topic) ?? []
    byTopic.set(key.topic, partitions)
    partitions.push(describe(key.partition, committed))
  }
  return [...byTopic].map(([name, partitions]) => ({ name, partitions }))
}

function describe(
  partitionIndex: number,
  { offset, leaderEpoch, metadata }: Omit<CommittedOffset, 'timestamp'>,
  errorCode = 0,
): OffsetFetchResponsePartition {
  return { partitionIndex, committedOffset: offset, committedLeaderEpoch: leaderEpoch, metadata, errorCode }
}
