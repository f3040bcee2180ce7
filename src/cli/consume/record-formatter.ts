import type { LogRecord } from '../../log/record-codec.js'

/** What a null key or value is printed as, as Kafka's console consumer does. */
const NULL = Buffer.from('null')
const NEWLINE = 0x0a

/** How records are printed. */
export interface RecordFormat {
  readonly printKey: boolean
  readonly keySeparator: string
}

/** Makes lines of records: values as they are, keys before them where they are asked for. */
export class RecordFormatter {
  readonly #separator: Buffer | null

  constructor({ printKey, keySeparator }: RecordFormat) {
    this.#separator = printKey ? Buffer.from(keySeparator) : null
  }

  format(records: readonly LogRecord[]): Buffer {
    let length = 0
    for (const record of records) length += this.#lineLength(record)
    const lines = Buffer.allocUnsafe(length)
    let at = 0
    for (const { key, value } of records) {
      if (this.#separator !== null) {
        at += (key ?? NULL).copy(lines, at)
        at += this.#separator.copy(lines, at)
      }
      at += (value ?? NULL).copy(lines, at)
      lines[at++] = NEWLINE
    }
    return lines
  }

  #lineLength({ key, value }: LogRecord): number {
    const keyLength = this.#separator === null ? 0 : (key ?? NULL).length + this.#separator.length
    return keyLength + (value ?? NULL).length + 1
  }
}
