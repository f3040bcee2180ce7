import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { native } from '../../native/load.js'
import { CommandFailure } from '../failure.js'
import { Output } from '../output.js'
import { type DumpedEntry, entriesOf, isWhole, readKey } from './entry.js'
import { formatAsJson, formatAsText } from './entry-format.js'
import { IndexCheck } from './index-check.js'
import { logFiles } from './log-files.js'

const ENTRIES_PER_SCAN = 1000
/** A running broker may be in the middle of a write: its end is looked at again. */
const WRITE_PAUSE_MS = 100

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

class Dump {
  readonly damages: string[] = []
  readonly #options: DumpOptions
  readonly #output = new Output()

  constructor(options: DumpOptions) {
    this.#options = options
  }

  async file(file: string): Promise<void> {
    if (!this.#options.json) await this.#output.write(`Dumping ${file}\n`)
    const index = this.#options.index ? this.#openIndex(file) : null
    const fd = openSync(file, 'r')
    try {
      await this.#scan(file, fd, index)
    } finally {
      closeSync(fd)
    }
  }

  async #scan(file: string, fd: number, index: IndexCheck | null): Promise<void> {
    const format = this.#options.json ? formatAsJson : formatAsText
    let position = 0
    let wrong = 0
    for (;;) {
      const scanned = await this.#scanFrom(file, position)
      const lines: string[] = []
      let last: DumpedEntry | null = null
      for (const entry of entriesOf(scanned.entries)) {
        last = entry
        index?.pass(entry)
        if (entry.verdict === 'wrong') wrong++
        lines.push(`${format(entry, isWhole(entry) ? readKey(fd, entry) : null, file)}\n`)
      }
      await this.#output.write(lines.join(''))
      if (last !== null && !isWhole(last)) this.#report(file, `${last.verdict} at position ${last.position}`)
      position = scanned.nextPosition
      if (last !== null && isWhole(last) && position < scanned.end) continue
      if (wrong > 0) this.#report(file, `${wrong} with a wrong CRC`)
      if (index !== null) await this.#printIndex(file, index, position, scanned.end)
      return
    }
  }

  /** The next entries. A torn one at the end is given the time of a write to become whole. */
  async #scanFrom(file: string, position: number) {
    const scanned = await native.scanLogFile(file, position, ENTRIES_PER_SCAN)
    const last = [...entriesOf(scanned.entries)].at(-1)
    if (last?.verdict !== 'torn') return scanned
    await sleep(WRITE_PAUSE_MS)
    return await native.scanLogFile(file, position, ENTRIES_PER_SCAN)
  }

  #openIndex(file: string): IndexCheck | null {
    const path = file.replace(/\.log$/, '.index')
    const baseOffset = Number(/^(\d{20})\.log$/.exec(basename(file))?.[1])
    if (Number.isNaN(baseOffset)) throw new CommandFailure(`${file} is not named by its base offset: it has no index`)
    try {
      return new IndexCheck(path, baseOffset)
    } catch (error) {
      this.#report(path, (error as Error).message)
      return null
    }
  }

  async #printIndex(file: string, index: IndexCheck, position: number, end: number): Promise<void> {
    const path = file.replace(/\.log$/, '.index')
    if (!this.#options.json) await this.#output.write(`Dumping ${path}\n`)
    let wrong = 0
    let lines = ''
    for (const { slot, offset, position: named, verdict } of index.finish(position, end)) {
      if (verdict === 'wrong') wrong++
      lines += this.#options.json
        ? `${JSON.stringify({ file: path, slot, offset, position: named, index: verdict })}\n`
        : `slot: ${slot} offset: ${offset} position: ${named} index: ${verdict}\n`
    }
    await this.#output.write(lines)
    if (wrong > 0) this.#report(path, `${wrong} wrong entries`)
  }

  #report(file: string, what: string): void {
    this.damages.push(`${file}: ${what}`)
  }
}
