import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '../../src/client/index.js'
import { encodePacked } from '../../src/log/record-codec.js'
import { compileC } from '../support/compiler.js'
import { canPin } from '../support/server-process.js'
import { quantile } from '../support/statistics.js'
import { type Layout, TOPIC_PREFIX, topicsOf } from './layouts.js'

/** What a request holds. */
const RECORDS = 16
const VALUE_BYTES = 1000
const CLIENT_CORE = '1'

const records = Array.from({ length: RECORDS }, (_, i) => ({
  key: `key-${i}`,
  value: Buffer.alloc(VALUE_BYTES, 'mykafka '),
}))
const packed = encodePacked(records)

/** Of the records of a request. */
export const REQUEST_BYTES = packed.length

/** What to send, spread evenly over the partitions of a layout. */
export interface Load {
  readonly inFlight: number
  /** Where it is given, each request is sent when its time has come. */
  readonly perSecond?: number
  /** Requests in front that do not count: each partition gets one at the least. */
  readonly uncounted: number
  readonly counted: number
}

/** What became of it. Milliseconds from a request to its answer. */
export interface Outcome {
  readonly seconds: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** Sends ready-made requests: a C program, on a core of its own. */
export class PartitionWriter {
  readonly #command: readonly string[]
  readonly #file: string

  /** @throws where there is no C compiler */
  static async make(directory: string): Promise<PartitionWriter> {
    const program = compileC('partition-writer.c', directory)
    if (program === null) throw new Error('this benchmark needs a C compiler')
    const file = join(directory, 'records')
    await writeFile(file, packed)
    return new PartitionWriter(program, file)
  }

  private constructor(program: string, file: string) {
    this.#command = canPin() ? ['taskset', '--cpu-list', CLIENT_CORE, program] : [program]
    this.#file = file
  }

  async write(port: number, { topics, partitions }: Layout, load: Load): Promise<Outcome> {
    const { inFlight, perSecond = 0, uncounted, counted } = load
    const [command, ...first] = this.#command
    const args = [port, this.#file, RECORDS, TOPIC_PREFIX, topics, partitions, inFlight, perSecond, uncounted, counted]
    const { stdout } = await promisify(execFile)(command as string, [...first, ...args.map(String)])
    return JSON.parse(stdout) as Outcome
  }
}

/** The same by a client of the library, which encodes its records for each request. */
export async function writeByClient(port: number, layout: Layout, load: Load): Promise<Outcome> {
  const client = await Client.connect({ port })
  const topics = topicsOf(layout)
  const requests = load.uncounted + load.counted
  const took = new Float64Array(load.counted)
  let sent = 0
  let countedFrom = performance.now()
  const sendOneByOne = async (): Promise<void> => {
    for (let at = sent++; at < requests; at = sent++) {
      const place = at % (topics.length * layout.partitions)
      const partition = Math.floor(place / topics.length)
      const begin = performance.now()
      if (at === load.uncounted) countedFrom = begin
      await client.produce(topics[place % topics.length] as string, records, { partition })
      if (at >= load.uncounted) took[at - load.uncounted] = performance.now() - begin
    }
  }
  try {
    await Promise.all(Array.from({ length: load.inFlight }, sendOneByOne))
    const seconds = (performance.now() - countedFrom) / 1000
    const [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1].map((part) => quantile(took, part)) as [
      number,
      number,
      number,
      number,
    ]
    return { seconds, p50, p99, p999, max }
  } finally {
    await client.close()
  }
}
