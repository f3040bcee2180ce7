import type { MyKafkaError } from '../../errors.js'

/** What a consumer has done, and what it holds. */
export interface ConsumerStatistics {
  /** Records that were handed out. */
  readonly records: number
  /** Of records, as they are stored, that were fetched. */
  readonly bytes: number
  readonly fetches: number
  /** Requests that failed and were, or are to be, repeated. */
  readonly retries: number
  /** Commits that were acknowledged, by partition. */
  readonly commits: number
  /** Of records that are fetched ahead, here or on their way, and 1 KiB for each answer. */
  readonly prefetchedBytes: number
  /** The most that it ever was. */
  readonly maxPrefetchedBytes: number
  /** What it is kept below, but for a single record that is larger: `fetchMaxBytes`. */
  readonly prefetchLimitBytes: number
  /** What the last request that was repeated failed with. */
  readonly lastError: MyKafkaError | null
}
