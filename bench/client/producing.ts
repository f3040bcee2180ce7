import { Client, connect, type Producer } from '../../src/client/index.js'
import { PipelinedFrames } from '../support/pipelined-frames.js'
import { interleave } from '../support/statistics.js'
import {
  type Effort,
  type Measured,
  makeWorkload,
  measured,
  PARTITIONS,
  type Sample,
  THROUGHPUT_COLUMNS,
  throughputRows,
  VALUE_BYTES,
  type Workload,
} from './workload.js'

/** Of the raw frames, as many as the producer's default of requests. */
export const IN_FLIGHT = 5
export const PRODUCE_RESPONSE_BYTES = 22
const LINGERS = [0, 5]
/** A program that sends on waits for the record so far behind, at the least. */
const WINDOW = 2000

/** As a program does that does not wait for each record, but for all in the end. */
async function sendAll(producer: Producer, { topic, records }: Workload): Promise<void> {
  let behind: Promise<unknown> | undefined
  for (let i = 0; i < records.length; i++) {
    const { key, value } = records[i] as Workload['records'][number]
    const sent = producer.send({ topic, key, value })
    if (i % WINDOW !== 0) continue
    await behind
    behind = sent
  }
  await producer.flush()
  if (producer.statistics().failedRecords > 0) throw new Error('records failed')
}

/** Producing through the client, and the same records as frames; each topic goes when it is measured. */
export async function measureProducing(port: number, effort: Effort): Promise<Measured> {
  const raw = await PipelinedFrames.connect(port, PRODUCE_RESPONSE_BYTES)
  const kafka = connect({ brokers: `127.0.0.1:${port}` })
  const client = await Client.connect({ port })
  const rows: (string | number)[][] = []
  const ratios: Record<string, number> = {}
  for (const valueBytes of VALUE_BYTES) {
    for (const partitions of PARTITIONS) {
      const work = makeWorkload(partitions, valueBytes, effort.records[valueBytes] as number)
      await client.createTopic(work.topic, partitions)
      const variants: Record<string, () => Promise<Sample>> = {
        'raw frames': () => measured(() => raw.send(work.frames, IN_FLIGHT)),
      }
      for (const lingerMs of LINGERS) {
        const producer = kafka.producer({ lingerMs })
        variants[`Producer, linger ${lingerMs}`] = () => measured(() => sendAll(producer, work))
      }
      const found = throughputRows(work, await interleave(variants, effort))
      rows.push(...found.rows)
      Object.assign(ratios, found.ratios)
      await kafka.admin().deleteTopic(work.topic)
    }
  }
  raw.close()
  await client.close()
  await kafka.close()
  const title = 'Producing keyed records in batches of 16 KiB'
  return { table: { title, columns: THROUGHPUT_COLUMNS, rows }, ratios }
}
