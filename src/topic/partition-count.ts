import { MyKafkaError } from '../errors.js'

/** More partitions of a topic are refused. */
export const MAX_PARTITIONS = 10_000

/** What a topic is to carry, and what one partition of it does; all in the same unit per second. */
export interface PartitionLoad {
  /** Of the whole topic. */
  readonly target: number
  /** Of one producer to one partition. */
  readonly produceRate: number
  /** Of one consumer from one partition. */
  readonly consumeRate: number
}

/**
 * How many partitions a topic needs: as many as its producers do, or its consumers, whichever are more.
 *
 * @throws MyKafkaError INVALID_ARGUMENT for a rate that is not above 0
 */
export function neededPartitions({ target, produceRate, consumeRate }: PartitionLoad): {
  readonly partitions: number
  readonly forProducers: number
  readonly forConsumers: number
} {
  for (const rate of [target, produceRate, consumeRate]) {
    if (!(rate > 0 && Number.isFinite(rate)))
      throw new MyKafkaError('INVALID_ARGUMENT', `a rate is above 0, not ${rate}`)
  }
  const [forProducers, forConsumers] = [target / produceRate, target / consumeRate].map(roundedUp) as [number, number]
  return { partitions: Math.max(forProducers, forConsumers), forProducers, forConsumers }
}

/** Rates such as 0.1 are not exact: what is an integer but for the last bits of a double is that integer. */
function roundedUp(ratio: number): number {
  return Math.ceil(Number(ratio.toPrecision(12)))
}
