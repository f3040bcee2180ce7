import { availableParallelism } from 'node:os'
import { Client } from '../src/client/index.js'
import { encodePacked } from '../src/log/record-codec.js'
import { encodeRequest } from '../src/wire/mykafka/produce.js'
import type { Aim, Benchmark, Report, Table } from './benchmark.js'
import { FrameClient } from './support/frame-client.js'
import { canPin, pin, ServerProcess } from './support/server-process.js'
import { interleave, median, quantile, round, timed, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const RECORDS = 1000
const VALUE_BYTES = 100
const RESPONSE_BYTES = 22
/** A batch is over too soon to be timed alone. */
const BATCHES = 20
const TOPIC = 'bench'

/** What the toy in Kotlin measured. */
const TOY = { singlesMs: 84, batchMs: 1.4, ratio: 61 }
const SINGLES_AIM_MS = 40

const records = Array.from({ length: RECORDS }, (_, i) => ({ key: `user-${i}`, value: Buffer.alloc(VALUE_BYTES, i) }))
const frames = records.map((record) => encodeRequest(TOPIC, 0, 1, encodePacked([record])))
const batchFrame = encodeRequest(TOPIC, 0, RECORDS, encodePacked(records))

const VARIANTS = {
  singles: `${RECORDS} PRODUCEs of one record, one after another`,
  pipelined: `${RECORDS} PRODUCEs of one record, sent without waiting`,
  batch: `1 PRODUCE of ${RECORDS} records (one of ${BATCHES}, one after another)`,
  echoSingles: 'peer: the frames of the first, to a bare Node echo',
  echoBatch: 'peer: the frame of the third, to a bare Node echo',
} as const

type Variant = keyof typeof VARIANTS
type Samples = Record<Variant, number[]>

/** Milliseconds of one of several calls, one after another. */
async function timedEach(run: () => Promise<unknown>): Promise<number> {
  const all = await timed(async () => {
    for (let i = 0; i < BATCHES; i++) await run()
  })
  return all / BATCHES
}

function variants(client: Client, echo: FrameClient): Record<Variant, () => Promise<number>> {
  const options = { partition: 0 }
  return {
    singles: () =>
      timed(async () => {
        for (const record of records) await client.produce(TOPIC, [record], options)
      }),
    pipelined: () => timed(() => Promise.all(records.map((record) => client.produce(TOPIC, [record], options)))),
    batch: () => timedEach(() => client.produce(TOPIC, records, options)),
    echoSingles: () =>
      timed(async () => {
        for (const frame of frames) await echo.request(frame, RESPONSE_BYTES)
      }),
    echoBatch: () => timedEach(() => echo.request(batchFrame, RESPONSE_BYTES)),
  }
}

function table(title: string, samples: Samples): Table {
  const batch = median(samples.batch)
  return {
    title,
    columns: ['variant', 'median ms', 'p10 ms', 'p90 ms', 'µs a record', 'against the batch'],
    rows: (Object.keys(VARIANTS) as Variant[]).map((name) => {
      const middle = median(samples[name])
      return [
        VARIANTS[name],
        round(middle),
        round(quantile(samples[name], 0.1)),
        round(quantile(samples[name], 0.9)),
        round((middle * 1000) / RECORDS),
        times(middle / batch),
      ]
    }),
  }
}

function aims(placement: string, samples: Samples): Aim[] {
  const singles = median(samples.singles)
  const echo = median(samples.echoSingles)
  const ratio = singles / median(samples.batch)
  return [
    {
      aim: `${placement}: ${RECORDS} singles under ${SINGLES_AIM_MS} ms`,
      measured: `${round(singles)} ms; the bare echo takes ${round(echo)} ms, ${times(singles / echo)} of that`,
      met: singles < SINGLES_AIM_MS,
    },
    {
      aim: `${placement}: the batch ${TOY.ratio} times as fast as the singles`,
      measured: `${times(ratio)}; the toy: ${TOY.singlesMs} ms against ${TOY.batchMs} ms`,
      met: ratio >= TOY.ratio,
    },
  ]
}

async function measure(broker: ServerProcess, echoServer: ServerProcess, quick: boolean): Promise<Report> {
  const client = await Client.connect({ port: broker.port })
  const echo = await FrameClient.connect(echoServer.port)
  await client.createTopic(TOPIC, 1)
  const effort = quick ? { rounds: 3, warmups: 1 } : { rounds: 25, warmups: 5 }
  const placements: Record<string, string> = { 'any core': `0-${availableParallelism() - 1}` }
  if (canPin()) placements['one core for client and broker'] = '0'
  const tables: Table[] = []
  const reached: Aim[] = []
  for (const [placement, cores] of Object.entries(placements)) {
    if (canPin()) pin([process.pid, broker.pid, echoServer.pid], cores)
    const samples = await interleave(variants(client, echo), effort)
    tables.push(table(`${RECORDS} records, ${placement}`, samples))
    reached.push(...aims(placement, samples))
  }
  await client.close()
  echo.close()
  return {
    settings: { records: RECORDS, valueBytes: VALUE_BYTES, frameBytes: frames[0]?.length, fsync: 'acks', ...effort },
    tables,
    aims: reached,
  }
}

export const batch: Benchmark = {
  question: 'What does a batch gain over single PRODUCEs, over TCP to a broker in a process of its own?',
  run: ({ quick }) =>
    withTemporaryDirectory(async (directory) => {
      const broker = await ServerProcess.broker(directory)
      const echoServer = await ServerProcess.script('echo-server.ts')
      try {
        return await measure(broker, echoServer, quick)
      } finally {
        await echoServer.stop()
        await broker.stop()
      }
    }),
}
