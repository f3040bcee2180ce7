import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { KafkaConnection } from '../../../src/client/kafka-connection.js'
import { resolveOptions } from '../../../src/client/options.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { behindEachTest, cleanUp } from '../../support/clean-up.js'
import { type Random, seededRandom } from '../../support/seeded-random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { FigureReader, type Figures } from './figures.js'
import { type Latencies, Probe } from './probe.js'
import { makeTopic, PROPERTIES, TOPICS } from './topics.js'

const MINUTE_MS = 60_000
/** When the processes end, as parts of the time: the second lives so long that a trend shows behind its warm-up. */
const ENDS = [1 / 6, 5 / 6, 1]
const ERROR_LEVEL = 50
const SHORT_MINUTES = 5
/** What starts and stops may take in all. */
const LONGEST_DELAY_MS = 300_000

export interface SoakOptions {
  readonly minutes: number
  readonly seed: number
  readonly signal: AbortSignal
  log(line: string): void
}

/** One look at the broker. */
export interface SoakSample extends Figures {
  /** Since the soak began. */
  readonly milliseconds: number
  /** Which process it is of, and how old that is. */
  readonly life: number
  readonly ageMs: number
  readonly latencies: Latencies
}

export interface SoakResult {
  readonly samples: readonly SoakSample[]
  /** When each process ended, and how. */
  readonly ends: readonly { readonly milliseconds: number; readonly how: 'kill -9' | 'clean stop' }[]
  /** How often each one of the load got something done, and what failed for it. */
  readonly progress: Readonly<Record<string, number>>
  readonly failures: Readonly<Record<string, number>>
  /** What must not be. */
  readonly faults: readonly string[]
}

interface Told {
  readonly progress: Record<string, number>
  readonly failures: Record<string, number>
}

/** Loads a broker for so many minutes, kills or stops it now and then, and looks at it all the while. */
export async function soak({ minutes, seed, signal, log }: SoakOptions): Promise<SoakResult> {
  const random = seededRandom(seed)
  const directory = await temporaryDirectory()
  const interval = minutes > SHORT_MINUTES ? 10_000 : 1000
  const figures = new FigureReader(join(directory, 'figures.jsonl'), interval)
  const config = join(directory, 'server.properties')
  await writeFile(config, `${PROPERTIES.join('\n')}\n`)
  const port = await freePort(random)
  const args = ['--config', config, '--port', String(port)]
  const start = (): Promise<BrokerProcess> =>
    BrokerProcess.start({ dataDir: join(directory, 'data'), args, under: figures.under })
  const faults: string[] = []
  const samples: SoakSample[] = []
  const ends: { milliseconds: number; how: 'kill -9' | 'clean stop' }[] = []
  let broker = await start()
  await makeTopics(port)
  const load = startLoad(port, seed)
  const probing = new AbortController()
  const probe = new Probe(port, probing.signal)
  const probed = probe.run().catch((error: unknown) => void faults.push(`the probe: ${error}`))
  // Whoever waits for the broker, or for the load, then hears that it is gone.
  const giveUp = setTimeout(() => void cleanUp(), minutes * MINUTE_MS + LONGEST_DELAY_MS)
  const begin = performance.now()
  const since = (time: number): number => performance.now() - time
  let told: Told = { progress: {}, failures: {} }

  try {
    for (const [life, part] of ENDS.entries()) {
      if (faults.length > 0 || signal.aborted) break
      const isLast = part === 1
      const born = performance.now()
      const until = minutes * MINUTE_MS * part
      while (since(begin) < until && faults.length === 0 && !signal.aborted) {
        await sleep(Math.min(interval, until - since(begin)), undefined, { signal }).catch(() => {})
        if (load.exitCode !== null) faults.push(`the load ended with ${load.exitCode}`)
        else told = await ask(load)
        const found = figures.read(broker.pid)
        if (found === null) continue
        const sample = { milliseconds: since(begin), life, ageMs: since(born), ...found, latencies: probe.take() }
        samples.push(sample)
        log(lineOf(sample))
      }
      faults.push(...errorsOf(broker))
      const how = !isLast && random.next() < 0.5 ? 'kill -9' : 'clean stop'
      ends.push({ milliseconds: since(begin), how })
      if (how === 'kill -9') await broker.kill()
      else {
        const { code, signal: by } = await broker.stop()
        if (code !== 0) faults.push(`a clean stop ended with ${code ?? by}: ${broker.output.slice(-2000)}`)
      }
      log(`${how} at ${Math.round(since(begin) / 1000)} s`)
      if (!isLast) broker = await start()
    }
  } finally {
    clearTimeout(giveUp)
    probing.abort()
    await probed
    await end(load)
  }
  for (const [name, count] of Object.entries(told.progress)) {
    // Who joins a group again, on a busy machine, may need half a minute.
    if (count === 0 && minutes > SHORT_MINUTES) faults.push(`${name}: nothing got done`)
  }
  return { samples, ends, ...told, faults }
}

async function makeTopics(port: number): Promise<void> {
  const kafka = await KafkaConnection.open(resolveOptions({ port }))
  for (const [name, { partitions, configs }] of Object.entries(TOPICS))
    await makeTopic(kafka, name, partitions, configs)
  await kafka.close()
}

const loads = new Set<ChildProcess>()

behindEachTest(async () => {
  for (const load of loads) await end(load)
})

function startLoad(port: number, seed: number): ChildProcess {
  const program = fileURLToPath(new URL('./load.ts', import.meta.url))
  const load = fork(program, [String(port), String(seed)], { execArgv: ['--import', 'tsx'] })
  loads.add(load)
  return load
}

async function ask(load: ChildProcess): Promise<Told> {
  const answered = new AbortController()
  const { signal } = answered
  // The one that does not come is not listened for any more.
  const answers = [once(load, 'message', { signal }), once(load, 'exit', { signal })]
  for (const answer of answers) answer.catch(() => {})
  load.send('?', () => {})
  const [told] = await Promise.race(answers)
  answered.abort()
  return typeof told === 'object' && told !== null ? (told as Told) : { progress: {}, failures: {} }
}

async function end(load: ChildProcess): Promise<void> {
  loads.delete(load)
  if (load.exitCode !== null || load.signalCode !== null) return
  const ended = once(load, 'exit')
  load.kill('SIGKILL')
  await ended
}

/**
 * A free port, which every process of the broker takes: what clients are told of it stays true. Not one that the system
 * gives to outgoing connections: one of them would have it while the broker is away.
 */
async function freePort(random: Random): Promise<number> {
  for (;;) {
    const port = random.integer(10_240, 32_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/** What it logged as an error. */
function errorsOf(broker: BrokerProcess): string[] {
  return broker.log
    .filter(({ level }) => level >= ERROR_LEVEL)
    .map((line) => `the broker says: ${JSON.stringify(line)}`)
}

const MEBIBYTE = 1 << 20

function lineOf({
  milliseconds,
  rss,
  heapUsed,
  external,
  descriptors,
  mappings,
  loopP99,
  latencies,
}: SoakSample): string {
  const memory = [rss, heapUsed, external].map((bytes) => (bytes / MEBIBYTE).toFixed(1)).join('/')
  const { count, p50, p99 } = latencies
  return (
    `${(milliseconds / 1000).toFixed(0)} s: ${memory} MiB (RSS/heap/external), ${descriptors} fds, ${mappings} mappings, ` +
    `loop p99 ${loopP99.toFixed(1)} ms, probe ${p50.toFixed(1)}/${p99.toFixed(1)} ms (p50/p99 of ${count})`
  )
}
