import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compileC } from './compiler.js'

/** What to read, and for how long. Every range is of `bytes`, whole records. */
export interface ReadTask {
  readonly connections: number
  readonly topic: string
  readonly bytes: number
  readonly recordBytes: number
  /** In the log. */
  readonly records: number
  readonly milliseconds: number
  /** With `kafka` by Kafka's Fetch: the ranges are of whole batches then. */
  readonly wire: 'mykafka' | 'kafka'
}

export interface ReadOutcome {
  readonly seconds: number
  readonly bytes: number
  /** Milliseconds from a request to the last byte of its answer. */
  readonly p50: number
  readonly p99: number
}

/** The reading side, each time in a process of its own: a C program where there is a compiler, else Node. */
export class FetchReader {
  readonly name: string
  readonly #command: readonly string[]

  constructor(directory: string) {
    const program = compileC('fetch-reader.c', directory)
    const script = fileURLToPath(new URL('../fetch-reader.ts', import.meta.url))
    this.name = program === null ? 'Node' : 'C'
    this.#command = program === null ? [process.execPath, '--import', 'tsx', script] : [program]
  }

  async read(port: number, task: ReadTask): Promise<ReadOutcome> {
    const { connections, topic, bytes, recordBytes, records, milliseconds, wire } = task
    const perRange = bytes / recordBytes
    const args = [port, connections, topic, bytes, perRange, Math.floor(records / perRange), milliseconds, wire]
    const [command, ...first] = this.#command
    const { stdout } = await promisify(execFile)(command as string, [...first, ...args.map(String)])
    return JSON.parse(stdout) as ReadOutcome
  }
}
