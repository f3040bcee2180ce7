import type { LogRecord } from '../../log/record-codec.js'

/** What a null key or value is printed as, as Kafka's console consumer does. */
const NULL = Buffer.from('null')
const NEWLINE = Buffer.from('\n')

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
    const parts: Buffer[] = []
    for (const { key, value } of records) {
      if (this.#separator !== null) parts.push(key ?? NULL, this.#separator)
      parts.push(value ?? NULL, NEWLINE)
    }
    return Buffer.concat(parts)
  }
}
