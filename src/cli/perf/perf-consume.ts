import type { Kafka } from '../../client/connect.js'
import { CommandFailure, QuietExit } from '../failure.js'
import { exitCodeOfSignal, onStopSignal, type StopSignal } from '../stop-signals.js'
import { Meter } from './meter.js'
import type { Properties } from './properties.js'

export interface PerfConsumeOptions {
  readonly topic: string
  readonly numRecords: number
  readonly group: string | undefined
  readonly fromLatest: boolean
  /** It ends when no record came for so long. */
  readonly timeoutMs: number
  readonly properties: Properties
  readonly json: boolean
}

/**
 * Reads records and measures how long each poll takes.
 *
 * @throws CommandFailure behind the figures, where fewer records came than were asked for
 */
export async function perfConsume(kafka: Kafka, options: PerfConsumeOptions): Promise<void> {
  const { topic, numRecords, group, fromLatest, timeoutMs, properties } = options
  const consumer = kafka.consumer({
    autoOffsetReset: fromLatest ? 'latest' : 'earliest',
    ...(group !== undefined && { groupId: group }),
    ...properties,
  })
  const ending = new AbortController()
  let signal: StopSignal | null = null
  const signals = onStopSignal((name) => {
    signal = name
    ending.abort()
  })
  await consumer.subscribe([topic])
  const meter = new Meter({ done: 'consumed', latency: 'poll' }, options.json)
  try {
    while (meter.records < numRecords && signal === null) {
      const startedAt = performance.now()
      const records = await consumer.poll({ timeoutMs, signal: ending.signal }).catch((error: unknown) => {
        if (signal === null) throw error
        return []
      })
      if (records.length === 0) break
      meter.latency(performance.now() - startedAt)
      let bytes = 0
      for (const { key, value } of records) bytes += (key?.length ?? 0) + (value?.length ?? 0)
      meter.add(records.length, bytes)
    }
    // What close commits is what the next poll would have found done.
    if (group !== undefined) await consumer.commit()
    await consumer.close()
  } finally {
    signals.dispose()
    await meter.finish()
  }
  if (signal !== null) throw new QuietExit(exitCodeOfSignal(signal))
  if (meter.records < numRecords) {
    throw new CommandFailure(`${meter.records} of ${numRecords} records came, and no other for ${timeoutMs} ms`)
  }
}
