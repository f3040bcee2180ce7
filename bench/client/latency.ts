import { Client, connect } from '../../src/client/index.js'
import { encodePacked } from '../../src/log/record-codec.js'
import { encodeRequest } from '../../src/wire/mykafka/produce.js'
import { FrameClient } from '../support/frame-client.js'
import { interleave, median, quantile, round, timed, times } from '../support/statistics.js'
import { PRODUCE_RESPONSE_BYTES } from './producing.js'
import type { Effort, Measured } from './workload.js'

const TOPIC = 'latency'
const SINGLES = 300
const value = Buffer.alloc(100, 1)

/** One record after another, each waited for. */
export async function measureLatency(port: number, effort: Effort): Promise<Measured> {
  const raw = await FrameClient.connect(port)
  const client = await Client.connect({ port })
  const kafka = connect({ brokers: `127.0.0.1:${port}` })
  await client.createTopic(TOPIC, 1)
  const producer = kafka.producer()
  const frame = encodeRequest(TOPIC, 0, 1, encodePacked([{ key: null, value }]))
  const each = async (run: () => Promise<unknown>): Promise<number[]> => {
    const all: number[] = []
    for (let i = 0; i < SINGLES; i++) all.push(await timed(run))
    return all
  }
  const samples = await interleave(
    {
      'raw frame': () => each(() => raw.request(frame, PRODUCE_RESPONSE_BYTES)),
      'Client.produce': () => each(() => client.produce(TOPIC, [{ value }], { partition: 0 })),
      'Producer.send, linger 0': () => each(() => producer.send({ topic: TOPIC, value })),
    },
    effort,
  )
  raw.close()
  await client.close()
  await kafka.close()
  const names = Object.keys(samples) as (keyof typeof samples)[]
  const p50 = (name: keyof typeof samples): number => median(samples[name].flat())
  const rows = names.map((name) => [
    name,
    round(p50(name) * 1000),
    round(quantile(samples[name].flat(), 0.99) * 1000),
    times(p50(name) / p50('raw frame')),
  ])
  const columns = ['one after another', 'p50 µs', 'p99 µs', 'against raw']
  const ratios = Object.fromEntries(names.map((name) => [name, p50(name) / p50('raw frame')]))
  return { table: { title: 'Producing one record of 100 B at a time', columns, rows }, ratios }
}
