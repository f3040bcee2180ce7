import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { CommandFailure } from '../failure.js'
import { Output } from '../output.js'
import { formatBatchAsJson, formatBatchAsText } from './batch-format.js'
import { formatAsJson, formatAsText } from './entry-format.js'
import { type CheckedIndexEntry, IndexCheck } from './index-check.js'
import type { IndexVerdict } from './index-slots.js'
import { logFiles } from './log-files.js'
import { scanLog } from './log-scan.js'
import { type CheckedTimeIndexEntry, TimeIndexCheck } from './time-index-check.js'

export interface DumpOptions {
  readonly json: boolean
  readonly index: boolean
}

/**
 * Prints the entries of log files, damaged ones too. Reads only.
 *
 * @throws CommandFailure behind the listing, where something is damaged
 */
export async function dumpLog(path: string, options: DumpOptions): Promise<void> {
  const dump = new Dump(options)
  for (const file of await logFiles(path)) await dump.file(file)
  if (dump.damages.length > 0) throw new CommandFailure(`damage found: ${dump.damages.join('; ')}`)
}

const FORMATS = {
  mykafka: { text: formatAsText, json: formatAsJson },
  kafka: { text: formatBatchAsText, json: formatBatchAsJson },
} as const

type CheckedEntry = CheckedIndexEntry | CheckedTimeIndexEntry

interface OpenIndex {
  readonly file: string
  readonly check: IndexCheck | TimeIndexCheck
}

class Dump {
  readonly damages: string[] = []
  readonly #options: DumpOptions
  readonly #output = new Output()

  constructor(options: DumpOptions) {
    this.#options = options
  }

  async file(file: string): Promise<void> {
    await this.#title(file)
    const indexes = this.#options.index ? this.#openIndexes(file) : []
    const fd = openSync(file, 'r')
    try {
      await this.#entries(file, fd, indexes)
    } finally {
      closeSync(fd)
    }
  }

  async #title(file: string): Promise<void> {
    if (!this.#options.json) await this.#output.write(`Dumping ${file}\n`)
  }

  async #entries(file: string, fd: number, indexes: readonly OpenIndex[]): Promise<void> {
    let wrong = 0
    let read = { position: 0, end: 0 }
    for await (const chunk of scanLog(file, fd)) {
      const format = FORMATS[chunk.recordFormat][this.#options.json ? 'json' : 'text']
      await this.#output.write(chunk.entries.map((entry) => `${format(entry, fd, file)}\n`).join(''))
      for (const entry of chunk.entries) {
        for (const { check } of indexes) check.pass(entry)
        if (entry.verdict === 'wrong') wrong++
        else if (entry.verdict !== 'right') this.#report(file, `${entry.verdict} at position ${entry.position}`)
      }
      read = chunk
    }
    if (wrong > 0) this.#report(file, `${wrong} with a wrong CRC`)
    for (const index of indexes) await this.#indexEntries(index, read)
  }

  #openIndexes(file: string): OpenIndex[] {
    const baseOffset = Number(/^(\d{20})\.log$/.exec(basename(file))?.[1])
    if (Number.isNaN(baseOffset)) throw new CommandFailure(`${file} is not named by its base offset: it has no index`)
    const indexes: OpenIndex[] = []
    const [index, times] = ['.index', '.timeindex'].map((ending) => file.replace(/\.log$/, ending)) as [string, string]
    try {
      indexes.push({ file: index, check: new IndexCheck(index, baseOffset) })
    } catch (error) {
      this.#report(index, (error as Error).message)
    }
    try {
      indexes.push({ file: times, check: new TimeIndexCheck(times, baseOffset) })
    } catch (error) {
      // It is made when it is first asked for.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#report(times, (error as Error).message)
    }
    return indexes
  }

  async #indexEntries({ file, check }: OpenIndex, read: { position: number; end: number }): Promise<void> {
    await this.#title(file)
    const entries = [...check.finish(read.position, read.end)]
    const line = (entry: CheckedEntry): string =>
      this.#options.json
        ? JSON.stringify({ file, ...entry })
        : Object.entries(entry)
            .map(([name, value]) => `${name}: ${value}`)
            .join(' ')
    await this.#output.write(entries.map((entry) => `${line(entry)}\n`).join(''))
    const wrong = entries.filter((entry) => verdictOf(entry) === 'wrong').length
    if (wrong > 0) this.#report(file, `${wrong} wrong index entries`)
  }

  #report(file: string, what: string): void {
    this.damages.push(`${file}: ${what}`)
  }
}

function verdictOf(entry: CheckedEntry): IndexVerdict {
  return 'index' in entry ? entry.index : entry.timeindex
}
