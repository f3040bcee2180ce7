/** The clients that are compared with, each a process on the client's core. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CLASS_PATH } from '../../test/interop/support/java.js'
import { compileC } from '../support/compiler.js'
import { exactBatch } from '../support/kafka-batch.js'
import { produceFrame } from '../support/kafka-connection.js'
import { type Outcome, runMeasured } from '../support/measured-process.js'
import { consumed, type Percentiles, recordsPerSecondOf, steadyPercentiles } from './java-output.js'
import { onCores } from './peers.js'

export type ClientName = 'java' | 'librdkafka' | 'bare'

/** The warm-up does not count. */
export interface Duration {
  readonly warmupMs: number
  readonly measureMs: number
}

export interface Load {
  readonly recordsPerSecond: number
  /** How much of its core the client took: 1 is all of it. */
  readonly clientBusy: number
}

export interface FetchLoad extends Load {
  readonly records: number
}

export interface ProduceTask {
  readonly port: number
  readonly topic: string
  readonly recordBytes: number
  readonly acks: 1 | -1
}

export interface FetchTask {
  readonly port: number
  readonly topic: string
  readonly recordBytes: number
  readonly records: number
}

/** What a producer fills a batch up to by default (batch.size), and what the topics to be read are made of. */
export const BATCH_BYTES = 16384
/** max.in.flight.requests.per.connection */
const IN_FLIGHT = 5
/** fetch.max.bytes of one partition, by default. */
const FETCH_BYTES = 1 << 20
/** What the bare reader asks for lies in the first segment. */
const BARE_FETCH_RANGE = 512 << 20
/** A client that takes longer is killed: no cell is meant to take more than 20 seconds. */
const LIMIT_MS = 40_000
const FILL_LIMIT_MS = 180_000
const ENDLESS = 2_000_000_000
/** From the start of Java to the first record. */
const JAVA_START_MS = 1000

/** What bin/kafka-run-class.sh starts the tools with. */
const JAVA = [
  'java',
  '-server',
  '-Xmx512M',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
  '-cp',
  CLASS_PATH,
]

/** Reads ahead as far as it can: this release of it rests for a second where its queue is full. */
const RDKAFKA_READ_AHEAD = ['queued.min.messages=10000000', 'queued.max.messages.kbytes=1048576']

/** Runs the clients of a benchmark. */
export class Clients {
  readonly #directory: string
  readonly #under: readonly string[]
  readonly #writer: string
  readonly #reader: string
  readonly #rdkafka: string | null

  constructor(directory: string, cores: string) {
    this.#directory = directory
    this.#under = onCores(cores)
    const writer = compileC('kafka-writer.c', directory)
    const reader = compileC('fetch-reader.c', directory)
    if (writer === null || reader === null) throw new Error('this benchmark needs a C compiler')
    this.#writer = writer
    this.#reader = reader
    this.#rdkafka = compileC('rdkafka-perf.c', directory, ['rdkafka', 'pthread'])
  }

  /** Without the headers of librdkafka there is none of it. */
  get names(): readonly ClientName[] {
    return this.#rdkafka === null ? ['java', 'bare'] : ['java', 'librdkafka', 'bare']
  }

  async produce(client: ClientName, task: ProduceTask, { warmupMs, measureMs }: Duration): Promise<Load> {
    if (client === 'java') {
      const args = [...producerPerformance(task), '--num-records', ENDLESS, '--throughput', -1]
      const endMs = JAVA_START_MS + warmupMs + measureMs
      const outcome = await this.#run([...JAVA, ...args, ...javaProperties(task)], endMs)
      return { recordsPerSecond: recordsPerSecondOf(outcome.stdout, warmupMs / 1000), clientBusy: outcome.busy }
    }
    if (client === 'librdkafka') {
      const { port, topic, recordBytes, acks } = task
      const args = ['produce', `127.0.0.1:${port}`, topic, warmupMs, measureMs, recordBytes, 0, `acks=${acks}`]
      return loadOf(await this.#run([this.#rdkafka, ...args]))
    }
    const { load } = await this.#write(task, ENDLESS, { warmupMs, measureMs })
    return load
  }

  /** Tells also how many records it read, all in all. */
  async fetch(client: ClientName, task: FetchTask, { warmupMs, measureMs }: Duration): Promise<FetchLoad> {
    const { port, topic, records } = task
    const bootstrap = `127.0.0.1:${port}`
    if (client === 'java') {
      const tool = ['org.apache.kafka.tools.ConsumerPerformance', '--bootstrap-server', bootstrap, '--topic', topic]
      const options = ['--num-records', records, '--show-detailed-stats', '--reporting-interval', 100]
      const endMs = JAVA_START_MS + warmupMs + measureMs
      const { stdout, busy } = await this.#run([...JAVA, ...tool, ...options], endMs)
      return { ...consumed(stdout, warmupMs / 1000), clientBusy: busy }
    }
    if (client === 'librdkafka') {
      // All of it: what it reads ahead of its user would be the broker's work for nothing.
      const args = ['consume', bootstrap, topic, warmupMs, LIMIT_MS, records, ...RDKAFKA_READ_AHEAD]
      return { ...loadOf(await this.#run([this.#rdkafka, ...args])), records }
    }
    const perRange = (FETCH_BYTES / BATCH_BYTES) * exactBatch(BATCH_BYTES, task.recordBytes).records
    const ranges = BARE_FETCH_RANGE / FETCH_BYTES
    const outcome = await this.#run([this.#reader, port, 1, topic, FETCH_BYTES, perRange, ranges, measureMs, 'kafka'])
    const { bytes, seconds } = JSON.parse(outcome.stdout) as { bytes: number; seconds: number }
    const read = (bytes / FETCH_BYTES) * perRange
    return { recordsPerSecond: read / seconds, records: read, clientBusy: outcome.busy }
  }

  /** At a fixed rate, and without waiting for batches to fill. */
  async latency(
    client: Exclude<ClientName, 'bare'>,
    task: ProduceTask,
    { warmupMs, measureMs, recordsPerSecond }: Duration & { readonly recordsPerSecond: number },
  ): Promise<Percentiles> {
    if (client === 'java') {
      const warmups = Math.round((recordsPerSecond * warmupMs) / 1000)
      const records = warmups + Math.round((recordsPerSecond * measureMs) / 1000)
      const counts = ['--num-records', records, '--warmup-records', warmups, '--throughput', recordsPerSecond]
      const args = [...producerPerformance(task), ...counts, ...javaProperties(task), 'linger.ms=0']
      return steadyPercentiles((await this.#run([...JAVA, ...args])).stdout)
    }
    const { port, topic, recordBytes, acks } = task
    const args = ['produce', `127.0.0.1:${port}`, topic, warmupMs, measureMs, recordBytes, recordsPerSecond]
    const outcome = await this.#run([this.#rdkafka, ...args, `acks=${acks}`, 'linger.ms=0'])
    return JSON.parse(outcome.stdout) as Percentiles
  }

  /** Fills a topic with whole batches, so many bytes. Returns how many records that are. */
  async fill(task: ProduceTask, bytes: number): Promise<number> {
    const requests = Math.ceil(bytes / BATCH_BYTES)
    const { records } = await this.#write(task, requests, { warmupMs: 0, measureMs: FILL_LIMIT_MS }, FILL_LIMIT_MS)
    // What the disk has yet to take would be written while others are measured.
    await promisify(execFile)('sync')
    return records
  }

  async #write(task: ProduceTask, requests: number, { warmupMs, measureMs }: Duration, limitMs = LIMIT_MS) {
    const batch = exactBatch(BATCH_BYTES, task.recordBytes)
    const file = join(this.#directory, 'frame')
    await writeFile(file, produceFrame(task.topic, batch.bytes, task.acks))
    const args = [task.port, file, IN_FLIGHT, requests, warmupMs, measureMs]
    const outcome = await this.#run([this.#writer, ...args], null, limitMs)
    const { total, counted, seconds } = JSON.parse(outcome.stdout) as Record<'total' | 'counted' | 'seconds', number>
    const load: Load = { recordsPerSecond: (counted * batch.records) / seconds, clientBusy: outcome.busy }
    return { load, records: total * batch.records }
  }

  #run(
    command: readonly (string | number | null)[],
    endMs: number | null = null,
    limitMs = LIMIT_MS,
  ): Promise<Outcome> {
    return runMeasured([...this.#under, ...command.map(String)], { endMs, limitMs })
  }
}

function producerPerformance({ port, topic, recordBytes }: ProduceTask): (string | number)[] {
  const tool = ['org.apache.kafka.tools.ProducerPerformance', '--bootstrap-server', `127.0.0.1:${port}`]
  return [...tool, '--topic', topic, '--record-size', recordBytes, '--reporting-interval', 250]
}

function javaProperties({ acks }: ProduceTask): string[] {
  return ['--command-property', `acks=${acks === 1 ? 1 : 'all'}`]
}

function loadOf({ stdout, busy }: Outcome): Load {
  const { counted, seconds } = JSON.parse(stdout) as { counted: number; seconds: number }
  return { recordsPerSecond: counted / seconds, clientBusy: busy }
}
