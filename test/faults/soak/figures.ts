/** What is known of the broker's process while it runs: of itself by reporter.mjs, of the system by /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const REPORTER = new URL('./reporter.mjs', import.meta.url).href

/** A process at one time. Bytes, but for what says otherwise. */
export interface Figures {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly descriptors: number
  readonly mappings: number
  /** Those of the engine: of index files, removed ones too. The others are the runtime's. */
  readonly indexMappings: number
  /** Milliseconds, since the figures before. */
  readonly loopP99: number
}

type Told = Pick<Figures, 'rss' | 'heapUsed' | 'external' | 'loopP99'> & { readonly pid: number }

export class FigureReader {
  readonly #file: string
  readonly #interval: number

  /** @param file - where processes tell what they know of themselves */
  constructor(file: string, interval: number) {
    this.#file = file
    this.#interval = interval
  }

  /** A command that runs a program of Node.js in its own place, and has it report. */
  get under(): string[] {
    const report = [`MYKAFKA_SOAK_FIGURES=${this.#file}`, `MYKAFKA_SOAK_INTERVAL_MS=${this.#interval}`]
    return ['env', `NODE_OPTIONS=--import=${REPORTER}`, ...report]
  }

  /** What a process last told, and what the system says of it now; null where it has not told anything yet. */
  read(pid: number): Figures | null {
    const told = this.#lines().findLast((line) => line.pid === pid)
    if (told === undefined) return null
    const { rss, heapUsed, external, loopP99 } = told
    const descriptors = readdirSync(`/proc/${pid}/fd`).length
    const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
    const indexMappings = maps.filter((line) => /\.(time)?index( \(deleted\))?$/.test(line)).length
    return { rss, heapUsed, external, loopP99, descriptors, mappings: maps.length - 1, indexMappings }
  }

  #lines(): Told[] {
    if (!existsSync(this.#file)) return []
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(-4, -1)
    return lines.map((line) => JSON.parse(line) as Told)
  }
}
