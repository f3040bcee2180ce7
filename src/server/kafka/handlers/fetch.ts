import {
  type FetchRequest,
  type FetchResponse,
  type FetchResponsePartition,
  type FetchResponseTopic,
  fetchApi,
} from '../../../wire/kafka/generated/fetch.js'
import { namesTopicsById } from '../fetch/fetch-partition.js'
import { type FetchLimits, type FetchRead, MOST_BYTES, readFetch, releaseFetch } from '../fetch/fetch-read.js'
import type { FetchScope } from '../fetch/fetch-sessions.js'
import { waitForGrowth } from '../fetch/growth.js'
import type { PartitionRead } from '../fetch/partition-read.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'

const READ_COMMITTED = 1

/**
 * Fetch 4–17: stored batches as they lie in the segment files, up to the high watermark. It waits for `minBytes`, for
 * `maxWaitMs` at the most, and not where a partition has an error to tell.
 */
export const fetch: KafkaHandler<FetchRequest, FetchResponse> = {
  api: fetchApi,
  versions: [4, 17],
  handle(request, call) {
    const scope = call.context.fetchSessions.scope(request, call.version)
    const maxBytes = Math.max(0, Math.min(request.maxBytes, call.context.config.fetchMaxBytes, MOST_BYTES))
    const limits = { maxBytes, readCommitted: request.isolationLevel === READ_COMMITTED }
    // At once where nothing has to be waited for: a promise would cost more than the rest.
    const read = readFetch(scope.partitions, limits, call)
    if (!(read instanceof Promise) && isEnough(read, limits, request, call)) return answer(scope, read, call)
    return readEnough(read, scope, limits, request, call).then((found) => answer(scope, found, call))
  },
  failed: (_, errorCode) => ({ errorCode, responses: [] }),
}

/** Whether the answer need not wait. */
function isEnough(
  read: FetchRead,
  { maxBytes }: FetchLimits,
  { minBytes, maxWaitMs }: FetchRequest,
  { signal }: KafkaCall,
): boolean {
  const nothingToWaitFor = read.partitions.length === 0 || read.urgent || signal.aborted
  return read.bytes >= Math.min(minBytes, maxBytes) || maxWaitMs <= 0 || nothingToWaitFor
}

async function readEnough(
  first: FetchRead | Promise<FetchRead>,
  { partitions }: FetchScope,
  limits: FetchLimits,
  request: FetchRequest,
  call: KafkaCall,
): Promise<FetchRead> {
  const deadline = performance.now() + request.maxWaitMs
  for (let read = await first; ; read = await readFetch(partitions, limits, call)) {
    const timeLeft = deadline - performance.now()
    if (isEnough(read, limits, request, call) || timeLeft <= 0) return read
    releaseFetch(read)
    const missing = Math.min(request.minBytes, limits.maxBytes) - read.bytes
    await waitForGrowth(read.partitions, missing, timeLeft, call.signal)
  }
}

function answer(scope: FetchScope, { partitions }: FetchRead, { version }: KafkaCall): FetchResponse {
  const { sessionId, told } = scope.answer(partitions)
  return { sessionId, responses: byTopic(told, version) }
}

/** Partitions of one topic that follow each other are told together. */
function byTopic(told: readonly PartitionRead[], version: number): FetchResponseTopic[] {
  const topics: { topic: string; topicId: string; partitions: FetchResponsePartition[] }[] = []
  for (const { asked, response } of told) {
    const { topic, topicId } = asked
    const last = topics.at(-1)
    const same = namesTopicsById(version) ? last?.topicId === topicId : last?.topic === topic
    if (last !== undefined && same) last.partitions.push(response)
    else topics.push({ topic, topicId, partitions: [response] })
  }
  return topics
}
