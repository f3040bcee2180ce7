import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { CommandFailure } from '../failure.js'
import { checkSegment, type IndexFile, type IndexFiles, isMissing, readIndexes } from '../log-check/check-segment.js'
import { countWrong, indexEntries, timeIndexEntries } from '../log-check/index-entries.js'
import { Output } from '../output.js'
import { jsonText } from '../visible.js'
import { formatBatchAsJson, formatBatchAsText } from './batch-format.js'
import { formatAsJson, formatAsText } from './entry-format.js'
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
    const indexes = this.#options.index ? await this.#readIndexes(file) : null
    const fd = openSync(file, 'r')
    try {
      await this.#entries(file, fd)
    } finally {
      closeSync(fd)
    }
    if (indexes !== null) await this.#indexes(file, indexes)
  }

  async #title(file: string): Promise<void> {
    if (!this.#options.json) await this.#output.write(`Dumping ${file}\n`)
  }

  async #entries(file: string, fd: number): Promise<void> {
    let wrong = 0
    for await (const { recordFormat, entries } of scanLog(file, fd)) {
      const format = FORMATS[recordFormat][this.#options.json ? 'json' : 'text']
      await this.#output.write(entries.map((entry) => `${format(entry, fd, file)}\n`).join(''))
      for (const entry of entries) {
        if (entry.verdict === 'wrong') wrong++
        else if (entry.verdict !== 'right') this.#report(file, `${entry.verdict} at position ${entry.position}`)
      }
    }
    if (wrong > 0) this.#report(file, `${wrong} with a wrong CRC`)
  }

  async #readIndexes(file: string): Promise<IndexFiles> {
    if (Number.isNaN(baseOffsetOf(file))) {
      throw new CommandFailure(`${file} is not named by its base offset: it has no index`)
    }
    const indexes = await readIndexes(file)
    const { index, timeIndex } = indexes
    if ('error' in index) this.#report(index.path, index.error.message)
    // It is made when it is first asked for.
    if ('error' in timeIndex && !isMissing(timeIndex)) this.#report(timeIndex.path, timeIndex.error.message)
    return indexes
  }

  async #indexes(file: string, indexes: IndexFiles): Promise<void> {
    const baseOffset = baseOffsetOf(file)
    // Missing offsets are not what a listing is about.
    const check = await checkSegment(file, { baseOffset, sparse: true }, indexes)
    await this.#index(indexes.index, check.index, (bytes) => indexEntries(bytes, baseOffset, check.index))
    await this.#index(indexes.timeIndex, check.timeIndex, (bytes) =>
      timeIndexEntries(bytes, baseOffset, check.timeIndex),
    )
  }

  async #index(file: IndexFile, verdicts: Uint8Array, entriesOf: (bytes: Buffer) => Iterable<object>): Promise<void> {
    if ('error' in file) return
    await this.#title(file.path)
    const line = (entry: object): string =>
      this.#options.json
        ? jsonText({ file: file.path, ...entry })
        : Object.entries(entry)
            .map(([name, value]) => `${name}: ${value}`)
            .join(' ')
    const lines = Array.from(entriesOf(file.bytes), (entry) => `${line(entry)}\n`)
    await this.#output.write(lines.join(''))
    const wrong = countWrong(verdicts)
    if (wrong > 0) this.#report(file.path, `${wrong} wrong index entries`)
  }

  #report(file: string, what: string): void {
    this.damages.push(`${file}: ${what}`)
  }
}

/** NaN for a name that does not say. */
function baseOffsetOf(file: string): number {
  return Number(/^(\d{20})\.log$/.exec(basename(file))?.[1])
}
