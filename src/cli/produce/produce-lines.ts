import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Client } from '../../client/client.js'
import type { PartitionerName } from '../../topic/partitioner.js'
import { DEFAULT_MAX_FRAME_BYTES } from '../../wire/frame-decoder.js'
import { CommandFailure, QuietExit } from '../failure.js'
import { type Progress, startProgress } from '../progress.js'
import { exitCodeOfSignal, onStopSignal } from '../stop-signals.js'
import { jsonText } from '../visible.js'
import { BatchingProducer } from './batching-producer.js'
import { LineSplitter } from './line-splitter.js'

const STDIN = 0

export interface ProduceOptions {
  readonly topic: string
  readonly keySeparator: string | undefined
  readonly partition: number | undefined
  readonly partitioner: PartitionerName
  readonly metadataMaxAgeMs: number
}

/**
 * Produces a record for each line. Whatever ends the input early (a fault, a signal), the lines before are sent, and
 * the number of acknowledged records is told.
 */
export async function produceLines(client: Client, input: Readable, options: ProduceOptions): Promise<void> {
  const { topic } = options
  const partitionCount = await countPartitions(client, topic)
  const stop = (reason: unknown): void => void input.destroy(reason as Error)
  const producer = new BatchingProducer(client, { ...options, partitionCount, onFailure: stop })
  const signals = onStopSignal((signal) => stop(new QuietExit(exitCodeOfSignal(signal))))
  // A topic that grows: its keys go where every other producer puts them.
  const look = (): void =>
    void countPartitions(client, topic).then((count) => {
      producer.partitionCount = count
    }, stop)
  const timer = setInterval(look, options.metadataMaxAgeMs)
  const progress = await progressOf(input)
  try {
    await readLines(input, producer, options, progress).finally(() => producer.finish())
  } finally {
    progress?.stop()
    clearInterval(timer)
    signals.dispose()
    process.stderr.write(`mykafka produce: ${producer.acknowledged} records to ${topic}\n`)
  }
}

async function countPartitions(client: Client, topic: string): Promise<number> {
  const [metadata] = await client.metadata(topic)
  return metadata?.partitions.length ?? 0
}

/** Of a file: how long something else is nobody knows. */
async function progressOf(input: Readable): Promise<Progress | null> {
  if (input !== process.stdin) return null
  const file = fstatSync(STDIN)
  return file.isFile() ? await startProgress('producing', () => file.size) : null
}

async function readLines(
  input: Readable,
  producer: BatchingProducer,
  options: ProduceOptions,
  progress: Progress | null,
): Promise<void> {
  const separator = options.keySeparator === undefined ? null : Buffer.from(options.keySeparator)
  const lines = new LineSplitter(DEFAULT_MAX_FRAME_BYTES, (line, number) => {
    if (separator === null) {
      producer.add(null, line)
      return
    }
    const at = line.indexOf(separator)
    if (at < 0) throw new CommandFailure(`line ${number}: no key separator ${jsonText(options.keySeparator)} found`)
    producer.add(line.subarray(0, at), line.subarray(at + separator.length))
  })
  for await (const chunk of input) {
    lines.push(chunk as Buffer)
    progress?.advance((chunk as Buffer).length)
    await producer.ready()
  }
  lines.end()
}
