/** A consumer as a process of its own that takes its time, and tells what memory it took: see slow-consumer.full.test.ts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/client/connect.js'
import type { ConsumerOptions, ConsumerStatistics } from '../../src/client/index.js'

export interface SlowConsumerSettings {
  readonly brokers: string
  readonly topic: string
  readonly options: ConsumerOptions
  /** How many records it takes. */
  readonly records: number
  /** What it does with each poll takes so long. */
  readonly pauseMs: number
}

/** What it tells in the end. */
export interface SlowConsumerFigures {
  /** When it was about to begin. */
  readonly rssBefore: number
  readonly peakRss: number
  readonly statistics: ConsumerStatistics
}

const settings = JSON.parse(process.argv[2] as string) as SlowConsumerSettings
const kafka = connect({ brokers: settings.brokers })
const consumer = kafka.consumer({ autoOffsetReset: 'earliest', ...settings.options })
const rssBefore = process.memoryUsage.rss()
await consumer.subscribe(settings.topic)
for (let taken = 0; taken < settings.records; ) {
  taken += (await consumer.poll()).length
  await sleep(settings.pauseMs)
}
const peakRss = process.resourceUsage().maxRSS * 1024
const figures: SlowConsumerFigures = { rssBefore, peakRss, statistics: consumer.statistics() }
await kafka.close()
process.send?.(figures, () => process.disconnect())
