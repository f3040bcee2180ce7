/** The brokers that are compared, each a process on the broker's core. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApacheKafka } from '../../test/interop/support/apache-kafka.js'

const COMMAND = fileURLToPath(new URL('../../bin/mykafka.js', import.meta.url))

/** What bin/kafka-server-start.sh starts Java with. */
const JAVA_OPTIONS = [
  '-server',
  '-Xmx1g',
  '-Xms1g',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-Djava.awt.headless=true',
]

/** Deleted topics leave the disk at once, not after a minute. */
const PROPERTIES = { 'log.segment.delete.delay.ms': '0' }

export interface Peer {
  readonly name: 'mykafka' | 'kafka'
  readonly port: number
  readonly pid: number
  /** When its process was started, by performance.now(). */
  readonly spawnedAt: number
  stop(): Promise<void>
}

/** A command that keeps to these cores. */
export function onCores(cores: string): string[] {
  return ['taskset', '--cpu-list', cores]
}

export async function startMyKafka(directory: string, fsync: 'acks' | 'never', cores: string): Promise<Peer> {
  const serve = ['serve', '--data-dir', join(directory, 'mykafka'), '--port', '0', '--fsync', fsync]
  const [command, ...args] = [...onCores(cores), process.execPath, COMMAND, ...serve]
  const spawnedAt = performance.now()
  const child = spawn(command as string, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return { name: 'mykafka', port: await listening(child), pid: child.pid as number, spawnedAt, stop: () => end(child) }
}

export async function startApacheKafka(directory: string, cores: string): Promise<Peer> {
  await mkdir(directory, { recursive: true })
  const options = { directory, javaOptions: JAVA_OPTIONS, properties: PROPERTIES, under: onCores(cores) }
  const kafka = await ApacheKafka.start(options)
  const { port, pid, spawnedAt } = kafka
  return { name: 'kafka', port, pid, spawnedAt, stop: () => kafka.stop() }
}

async function listening(child: ChildProcess): Promise<number> {
  let output = ''
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the broker ended (${code}):\n${output}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4096)
      const found = /listening on 127\.0\.0\.1:(\d+)/.exec(output)
      if (found !== null) resolve(Number(found[1]))
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
