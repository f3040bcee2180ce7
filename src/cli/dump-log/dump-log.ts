import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { CommandFailure } from '../failure.js'
import { Output } from '../output.js'
import { formatBatchAsJson, formatBatchAsText } from './batch-format.js'
import { formatAsJson, formatAsText } from './entry-format.js'
import { IndexCheck } from './index-check.js'
import { logFiles } from './log-files.js'
import { scanLog } from './log-scan.js'

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

class Dump {
  readonly damages: string[] = []
  readonly #options: DumpOptions
  readonly #output = new Output()

  constructor(options: DumpOptions) {
    this.#options = options
  }

  async file(file: string): Promise<void> {
    await this.#title(file)
    const index = this.#options.index ? this.#openIndex(file) : null
    const fd = openSync(file, 'r')
    try {
      await this.#entries(file, fd, index)
    } finally {
      closeSync(fd)
    }
  }

  async #title(file: string): Promise<void> {
    if (!this.#options.json) await this.#output.write(`Dumping ${file}\n`)
  }

  async #entries(file: string, fd: number, index: IndexCheck | null): Promise<void> {
    let wrong = 0
    let read = { position: 0, end: 0 }
    for await (const chunk of scanLog(file, fd)) {
      const format = FORMATS[chunk.recordFormat][this.#options.json ? 'json' : 'text']
      await this.#output.write(chunk.entries.map((entry) => `${format(entry, fd, file)}\n`).join(''))
      for (const entry of chunk.entries) {
        index?.pass(entry)
        if (entry.verdict === 'wrong') wrong++
        else if (entry.verdict !== 'right') this.#report(file, `${entry.verdict} at position ${entry.position}`)
      }
      read = chunk
    }
    if (wrong > 0) this.#report(file, `${wrong} with a wrong CRC`)
    if (index !== null) await this.#indexEntries(indexOf(file), index, read)
  }

  #openIndex(file: string): IndexCheck | null {
    const baseOffset = Number(/^(\d{20})\.log$/.exec(basename(file))?.[1])
    if (Number.isNaN(baseOffset)) throw new CommandFailure(`${file} is not named by its base offset: it has no index`)
    try {
      return new IndexCheck(indexOf(file), baseOffset)
    } catch (error) {
      this.#report(indexOf(file), (error as Error).message)
      return null
    }
  }

  async #indexEntries(file: string, index: IndexCheck, read: { position: number; end: number }): Promise<void> {
    await this.#title(file)
    const entries = [...index.finish(read.position, read.end)]
    const line = this.#options.json
      ? (entry: (typeof entries)[number]) => `${JSON.stringify({ file, ...entry })}\n`
      : ({ slot, offset, position, index: verdict }: (typeof entries)[number]) =>
          `slot: ${slot} offset: ${offset} position: ${position} index: ${verdict}\n`
    await this.#output.write(entries.map(line).join(''))
    const wrong = entries.filter(({ index: verdict }) => verdict === 'wrong').length
    if (wrong > 0) this.#report(file, `${wrong} wrong index entries`)
  }

  #report(file: string, what: string): void {
    this.damages.push(`${file}: ${what}`)
  }
}

function indexOf(logFile: string): string {
  return logFile.replace(/\.log$/, '.index')
}
