import { MyKafkaError } from '../../errors.js'
import { PARTITIONERS, type PartitionerName } from '../../topic/partitioner.js'
import { DEFAULT_MAX_FRAME_BYTES } from '../../wire/frame-decoder.js'
import { checkInteger, MAX_INT32 } from '../options.js'
import type { TransportOptions } from '../transport.js'
import type { PartitionFunction } from './partition-choice.js'

/**
 * How a producer batches, places and repeats. Each option says which of Kafka's configurations it is; the defaults are
 * Kafka's.
 */
export interface ProducerOptions {
  /**
   * `linger.ms`: how long a batch that is not full waits for more records. Default 0, as up to Kafka 3.9 (5 from 4.0 on):
   * what is sent in one turn of the event loop, or while the partition's batch before it is under way, goes together.
   */
  readonly lingerMs?: number | undefined
  /** `batch.size`: bytes of records that a batch takes, 16384 by default. A larger record has a batch of its own. */
  readonly batchSize?: number | undefined
  /** `buffer.memory`: bytes of records that are not answered yet, 32 MiB by default. Beyond it `send` waits. */
  readonly bufferMemory?: number | undefined
  /**
   * `max.block.ms`: how long `send` waits for memory, and for a topic or a partition that is not there (yet), before it is
   * rejected with REQUEST_TIMED_OUT. Default 60000.
   */
  readonly maxBlockMs?: number | undefined
  /**
   * `max.in.flight.requests.per.connection`: requests that are not answered yet, 5 by default. A request is what is sent
   * together: a batch of each partition that has one ready. Of one partition there is never more than one batch under way,
   * so that a repeated one is not overtaken.
   */
  readonly maxInFlight?: number | undefined
  /** `max.request.size`: bytes of a request, and so of a record, 1 MiB by default. */
  readonly maxRequestSize?: number | undefined
  /** `retries`: how often a batch is sent again before it fails. Default 2147483647: `deliveryTimeoutMs` is the limit. */
  readonly retries?: number | undefined
  /** `retry.backoff.ms`: the wait before a repetition; it doubles, with a jitter of a fifth. Default as of `connect`. */
  readonly retryBackoffMs?: number | undefined
  /** `retry.backoff.max.ms`: the longest wait before a repetition. Default as of `connect`. */
  readonly retryBackoffMaxMs?: number | undefined
  /**
   * `delivery.timeout.ms`: how long a record may take, from its way into a batch to the answer, before its `send` is
   * rejected with REQUEST_TIMED_OUT. Default 120000. Not less than `lingerMs` and the `requestTimeoutMs` of `connect`.
   */
  readonly deliveryTimeoutMs?: number | undefined
  /** `metadata.max.age.ms`: when the number of a topic's partitions is asked for again. Default as of `connect`. */
  readonly metadataMaxAgeMs?: number | undefined
  /** `partitioner.class`: how keys are placed, by name or by a function. Default `murmur2`, as in Kafka and the broker. */
  readonly partitioner?: PartitionerName | PartitionFunction | undefined
  /** `partitioner.ignore.keys`: places records with a key as those without. Default false. */
  readonly partitionerIgnoreKeys?: boolean | undefined
  /**
   * `partitioner.adaptive.partitioning.enable`: records without a key go to partitions with short queues more often than
   * to those with long ones (KIP-794). Default true; false: to all alike.
   */
  readonly partitionerAdaptivePartitioningEnable?: boolean | undefined
}

/** The same with everything decided. */
export interface ResolvedProducerOptions {
  readonly lingerMs: number
  readonly batchSize: number
  readonly bufferMemory: number
  readonly maxBlockMs: number
  readonly maxInFlight: number
  readonly maxRequestSize: number
  readonly retries: number
  readonly retryBackoffMs: number
  readonly retryBackoffMaxMs: number
  readonly deliveryTimeoutMs: number
  readonly metadataMaxAgeMs: number
  readonly partitioner: PartitionerName | PartitionFunction
  readonly ignoreKeys: boolean
  readonly adaptive: boolean
}

/** What a PRODUCE takes beside its records, at the most. */
const FRAME_OVERHEAD = 512

/**
 * Checks options and fills in what is not said.
 *
 * @throws MyKafkaError INVALID_ARGUMENT
 */
export function resolveProducerOptions(options: ProducerOptions, transport: TransportOptions): ResolvedProducerOptions {
  const whole = (name: keyof ProducerOptions, fallback: number): number =>
    checkInteger(name, (options[name] as number | undefined) ?? fallback, 0, MAX_INT32)
  const size = (name: keyof ProducerOptions, fallback: number, most: number): number =>
    checkInteger(name, (options[name] as number | undefined) ?? fallback, 1, most)
  const lingerMs = whole('lingerMs', 0)
  return {
    lingerMs,
    batchSize: checkInteger('batchSize', options.batchSize ?? 16_384, 0, DEFAULT_MAX_FRAME_BYTES - FRAME_OVERHEAD),
    bufferMemory: size('bufferMemory', 32 << 20, Number.MAX_SAFE_INTEGER),
    maxBlockMs: whole('maxBlockMs', 60_000),
    maxInFlight: size('maxInFlight', 5, MAX_INT32),
    maxRequestSize: size('maxRequestSize', 1 << 20, DEFAULT_MAX_FRAME_BYTES - FRAME_OVERHEAD),
    retries: whole('retries', MAX_INT32),
    retryBackoffMs: whole('retryBackoffMs', transport.retryBackoffMs),
    retryBackoffMaxMs: whole('retryBackoffMaxMs', transport.retryBackoffMaxMs),
    deliveryTimeoutMs: deliveryTimeout(options, lingerMs + transport.requestTimeoutMs),
    metadataMaxAgeMs: whole('metadataMaxAgeMs', transport.metadataMaxAgeMs),
    partitioner: checkPartitioner(options.partitioner ?? 'murmur2'),
    ignoreKeys: options.partitionerIgnoreKeys ?? false,
    adaptive: options.partitionerAdaptivePartitioningEnable ?? true,
  }
}

function deliveryTimeout({ deliveryTimeoutMs }: ProducerOptions, least: number): number {
  if (deliveryTimeoutMs === undefined) return Math.min(Math.max(120_000, least), MAX_INT32)
  return checkInteger('deliveryTimeoutMs (with lingerMs + requestTimeoutMs)', deliveryTimeoutMs, least, MAX_INT32)
}

function checkPartitioner(partitioner: PartitionerName | PartitionFunction): PartitionerName | PartitionFunction {
  if (typeof partitioner === 'function' || PARTITIONERS.includes(partitioner)) return partitioner
  const known = PARTITIONERS.join(', ')
  throw new MyKafkaError('INVALID_ARGUMENT', `partitioner must be ${known} or a function, not ${String(partitioner)}`)
}
