import {
  type FetchRequest,
  type FetchResponse,
  type FetchResponsePartition,
  type FetchResponseTopic,
  fetchApi,
} from '../../../wire/kafka/generated/fetch.js'
import { namesTopicsById } from '../fetch/fetch-partition.js'
import { type FetchLimits, type FetchRead, readFetch, releaseFetch } from '../fetch/fetch-read.js'
import type { FetchScope } from '../fetch/fetch-sessions.js'
import { waitForGrowth } from '../fetch/growth.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'

const READ_COMMITTED = 1

/**
 * Fetch 4–17: stored batches as they lie in the segment files, up to the high watermark. It waits for `minBytes`, for
 * `maxWaitMs` at the most, and not where a partition has an error to tell.
 */
export const fetch: KafkaHandler<FetchRequest, FetchResponse> = {
  api: fetchApi,
  versions: [4, 17],
  async handle(request, call) {
    const scope = call.context.fetchSessions.scope(request, call.version)
    const maxBytes = Math.max(0, Math.min(request.maxBytes, call.context.config.fetchMaxBytes))
    const limits = { maxBytes, readCommitted: request.isolationLevel === READ_COMMITTED }
    const { partitions } = await readEnough(scope, limits, request, call)
    const { sessionId, told } = scope.answer(partitions)
    return {
      sessionId,
      responses: byTopic(
        told.map(({ asked, response }) => ({ ...asked, response })),
        call.version,
      ),
    }
  },
  failed: (_, errorCode) => ({ errorCode, responses: [] }),
}

async function readEnough(
  { partitions }: FetchScope,
  limits: FetchLimits,
  { minBytes, maxWaitMs }: FetchRequest,
  call: KafkaCall,
): Promise<FetchRead> {
  const enough = Math.min(minBytes, limits.maxBytes)
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    const read = await readFetch(partitions, limits, call)
    const timeLeft = deadline - performance.now()
    const nothingToWaitFor = read.partitions.length === 0 || read.urgent || call.signal.aborted
    if (read.bytes >= enough || timeLeft <= 0 || nothingToWaitFor) return read
    releaseFetch(read)
    await waitForGrowth(read.partitions, enough - read.bytes, timeLeft, call.signal)
  }
}

/** Partitions of one topic that follow each other are told together. */
function byTopic(
  told: readonly { topic: string; topicId: string; response: FetchResponsePartition }[],
  version: number,
): FetchResponseTopic[] {
  const topics: { topic: string; topicId: string; partitions: FetchResponsePartition[] }[] = []
  for (const { topic, topicId, response } of told) {
    const last = topics.at(-1)
    const same = namesTopicsById(version) ? last?.topicId === topicId : last?.topic === topic
    if (last !== undefined && same) last.partitions.push(response)
    else topics.push({ topic, topicId, partitions: [response] })
  }
  return topics
}
