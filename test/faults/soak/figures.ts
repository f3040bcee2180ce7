/** What is known of the broker's process while it runs: of itself by reporter.mjs, of the system by /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const REPORTER = new URL('./reporter.mjs', import.meta.url).href

/** A process at one time. Bytes, but for what says otherwise. */
export interface Figures {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly descriptors: number
  /** But for V8's code and what guards memory: that is compiled for hours, and each page of it has several. */
  readonly mappings: number
  /** Those of the engine: of index files, removed ones too. The others are the runtime's. */
  readonly indexMappings: number
  /** What V8 has room for its code in. */
  readonly code: number
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
    return { rss, heapUsed, external, loopP99, descriptors, ...mappingsOf(pid) }
  }

  #lines(): Told[] {
    if (!existsSync(this.#file)) return []
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(-4, -1)
    return lines.map((line) => JSON.parse(line) as Told)
  }
}

function mappingsOf(pid: number): Pick<Figures, 'mappings' | 'indexMappings' | 'code'> {
  let mappings = 0
  let indexMappings = 0
  let code = 0
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const [range = '', rights] = line.split(' ', 2)
    const [from, to] = range.split('-').map((address) => Number.parseInt(address, 16)) as [number, number]
    if (rights === 'rwxp') code += to - from
    else if (rights !== undefined && rights !== '---p') mappings++
    if (/\.(time)?index( \(deleted\))?$/.test(line)) indexMappings++
  }
  return { mappings, indexMappings, code }
}
