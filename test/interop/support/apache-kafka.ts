/**
 * Apache Kafka itself, one node in KRaft mode, from Maven's jars: what the scenarios were tried against, and what the
 * benchmark compares with.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLASS_PATH, installKafkaJars, SHORT_LIVED } from './java.js'
import { runCommand } from './run-command.js'

export interface ApacheKafkaOptions {
  /** Where it keeps its data. Without one it has a directory that goes when it stops. */
  readonly directory?: string
  /** Options of its Java. */
  readonly javaOptions?: readonly string[]
  /** Settings beside those of a single node. */
  readonly properties?: Readonly<Record<string, string>>
  /** A command that runs it in its own place, such as `taskset -c 0`. */
  readonly under?: readonly string[]
}

/** A running broker of Apache Kafka. */
export class ApacheKafka {
  readonly port: number
  readonly dataDir: string
  /** When its process was started, by performance.now(). */
  readonly spawnedAt: number
  readonly #child: ChildProcess
  readonly #remove: () => Promise<void>

  /** Formats a data directory, starts the broker on free ports and waits until it serves. */
  static async start(options: ApacheKafkaOptions = {}): Promise<ApacheKafka> {
    await installKafkaJars()
    const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'apache-kafka-')))
    const [port, controllerPort] = await freePorts()
    const dataDir = join(directory, 'data')
    const file = join(directory, 'server.properties')
    await writeFile(file, serverProperties(port, controllerPort, dataDir, options.properties))
    const tool = ['-cp', CLASS_PATH, 'kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', CLUSTER_ID]
    await runCommand('java', [...SHORT_LIVED, ...tool, '-c', file])
    const { under = [], javaOptions = ['-Xmx1g', '-Xms1g'] } = options
    const java = ['java', ...javaOptions, ...LOGGING, '-cp', CLASS_PATH, 'kafka.Kafka', file]
    const [command, ...args] = [...under, ...java]
    const spawnedAt = performance.now()
    const child = spawn(command as string, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const remove = async (): Promise<void> => {
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    }
    await started(child)
    return new ApacheKafka({ port, dataDir, spawnedAt }, child, remove)
  }

  private constructor(
    { port, dataDir, spawnedAt }: Pick<ApacheKafka, 'port' | 'dataDir' | 'spawnedAt'>,
    child: ChildProcess,
    remove: () => Promise<void>,
  ) {
    this.port = port
    this.dataDir = dataDir
    this.spawnedAt = spawnedAt
    this.#child = child
    this.#remove = remove
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** Stops it. Where it does not end by itself within seconds, it is killed. */
  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 15_000)
    this.#child.kill('SIGTERM')
    await exited
    clearTimeout(impatience)
    await this.#remove()
  }
}

const CLUSTER_ID = 'bXlrYWZrYS1pbnRlcm9wMQ'

/** Warnings, and the line that says that it serves. */
const LOGGING = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-Dorg.slf4j.simpleLogger.log.kafka.server=info']

function serverProperties(
  port: number,
  controllerPort: number,
  dataDir: string,
  further: Readonly<Record<string, string>> = {},
): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'log.dirs': dataDir,
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    ...further,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** Below those that the system gives to outgoing connections: Java needs seconds before it takes them. */
const PORTS = { from: 22000, to: 32000 }

async function freePorts(): Promise<[number, number]> {
  const ports = new Set<number>()
  while (ports.size < 2) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from))
    if (await isFree(port)) ports.add(port)
  }
  return [...ports] as [number, number]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

async function started(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`Apache Kafka ended (${code}):\n${output.slice(-4000)}`)))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (/Kafka Server started/.test(output)) resolve()
    })
  })
  child.removeAllListeners('exit')
}
