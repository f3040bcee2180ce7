import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { ChildBroker } from '../support/child-broker.js'
import * as frames from '../support/frames.js'
import type { SlowConsumerFigures, SlowConsumerSettings } from '../support/slow-consumer-program.js'

const MEBIBYTE = 1 << 20
const PARTITIONS = 64
const RECORD_BYTES = 1000
const BATCH = 1000
/** Of the topic, written before and while it is consumed. */
const TOTAL_BYTES = 512 * MEBIBYTE

/** Fills the topic, as fast as it goes. */
async function fill(broker: ChildBroker, bytes: number): Promise<void> {
  const peer = await broker.connect()
  const records = Array.from({ length: BATCH }, (_, i) => ({ value: String(i).padEnd(RECORD_BYTES, '.') }))
  for (let sent = 0, i = 0; sent < bytes; sent += BATCH * RECORD_BYTES, i++) {
    await peer.call(frames.produce('t', i % PARTITIONS, records))
  }
}

async function consume(settings: SlowConsumerSettings): Promise<SlowConsumerFigures> {
  const child = fork(join(inject('programs'), 'slow-consumer.js'), [JSON.stringify(settings)])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [figures] = (await once(child, 'message')) as [SlowConsumerFigures]
  return figures
}

it.each([
  ['its default of 50 MiB', {}, 50],
  ['8 MiB', { fetchMaxBytes: 8 * MEBIBYTE }, 8],
])('a consumer slower than its producer, with %s, holds a bounded amount of memory', async (what, options, limit) => {
  const broker = await ChildBroker.start()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', PARTITIONS))
  await fill(broker, TOTAL_BYTES / 2)
  const settings = { brokers: `127.0.0.1:${broker.port}`, topic: 't', options, records: 100_000, pauseMs: 20 }
  const [{ rssBefore, peakRss, statistics }] = await Promise.all([consume(settings), fill(broker, TOTAL_BYTES / 2)])
  const grown = Math.round((peakRss - rssBefore) / MEBIBYTE)
  const held = (statistics.maxPrefetchedBytes / MEBIBYTE).toFixed(1)
  console.log(
    `${what}: RSS ${Math.round(rssBefore / MEBIBYTE)} MiB before, at most ${grown} MiB more; held ${held} MiB`,
  )
  expect(statistics.maxPrefetchedBytes).toBeLessThanOrEqual(limit * MEBIBYTE)
  // Beside what is held there is what was handed out and is not collected yet.
  expect(grown).toBeLessThan(2 * limit + 100)
})
