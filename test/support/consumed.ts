import { expect } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { Consumer } from '../../src/client/consumer/consumer.js'
import type { ConsumerRecord } from '../../src/client/consumer/topic-partition.js'

/** Appends records whose values are their numbers from `from` on; keys are null. */
export async function append(client: Client, topic: string, partition: number, count: number, from = 0): Promise<void> {
  const records = Array.from({ length: count }, (_, i) => ({ value: String(from + i) }))
  await client.produce(topic, records, { partition })
}

/** Polls until so many records are here, and not more. */
export async function pollFor(consumer: Consumer, count: number): Promise<ConsumerRecord[]> {
  const records: ConsumerRecord[] = []
  while (records.length < count) records.push(...(await consumer.poll({ timeoutMs: 30_000 })))
  expect(records).toHaveLength(count)
  return records
}

/** The values by partition, in the order in which they came. */
export function valuesByPartition(records: readonly ConsumerRecord[]): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const { topic, partition, value } of records) {
    const name = `${topic}-${partition}`
    values[name] = [...(values[name] ?? []), String(value)]
  }
  return values
}

/** `from` to `to`, both included, as values are. */
export function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i))
}
