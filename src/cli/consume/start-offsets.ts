import type { Client } from '../../client/client.js'
import { MyKafkaError } from '../../errors.js'
import type { GroupOffsets } from './group-offsets.js'

export interface StartOptions {
  readonly topic: string
  /** Absent: all. */
  readonly partition: number | undefined
  /** Of all, those from this number on. */
  readonly from?: number
  readonly fromBeginning: boolean
  /** In ms since 1970: at the first record that is not older. */
  readonly fromTime?: number | undefined
  readonly group: GroupOffsets | null
}

/** Where each partition is read from: what the group committed, else by the time, else the log's start or its end. */
export async function startOffsets(client: Client, options: StartOptions): Promise<Map<number, number>> {
  const { topic, partition, from = 0, fromBeginning, fromTime, group } = options
  const [metadata] = await client.metadata(topic)
  const partitions = metadata?.partitions ?? []
  if (partition !== undefined && partition >= partitions.length) {
    const has = `${topic} has partitions 0 to ${partitions.length - 1}`
    throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no partition ${partition}: ${has}`)
  }
  const numbers = partition === undefined ? [...partitions.keys()].slice(from) : [partition]
  const byTime = fromTime === undefined ? null : await client.offsetsForTime(topic, numbers, Math.max(fromTime, 0))
  const starts = numbers.map(async (number): Promise<[number, number]> => {
    const known = (await group?.committed(number)) ?? byTime?.get(number) ?? null
    const { logStartOffset = 0, highWatermark = 0 } = partitions[number] ?? {}
    return [number, known ?? Math.max(fromBeginning ? logStartOffset : highWatermark, 0)]
  })
  return new Map(await Promise.all(starts))
}

/** The nearest offset that can be read, for one that cannot: no record that is there is passed over or repeated. */
export async function nearestOffset(client: Client, topic: string, partition: number, offset: number): Promise<number> {
  const [metadata] = await client.metadata(topic)
  const { logStartOffset = 0, highWatermark = 0 } = metadata?.partitions[partition] ?? {}
  return Math.min(Math.max(offset, logStartOffset), highWatermark)
}
