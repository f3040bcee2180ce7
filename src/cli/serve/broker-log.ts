import type { Logger } from '../../logger.js'

/** The levels at which the broker logs. */
export type LineLevel = keyof Logger | 'fatal'

/** Where lines go in the end. */
export interface LogSink {
  /** @param time - when it happened, in milliseconds since 1970; absent: now */
  log(level: LineLevel, fields: object, message: string, time?: number): void
  /** A line as it is, in its place among the others. */
  writeLine(line: string): void
  /** Brings out what is held, synchronously. */
  flush(): void
}

/**
 * The broker's logger. It holds lines, in order and with their times, until there is a sink: loading pino takes
 * longer than opening a data directory.
 */
export class BrokerLog implements Logger {
  #held: (() => void)[] = []
  #sink: LogSink | null = null

  debug(fields: object, message: string): void {
    this.#log('debug', fields, message)
  }

  info(fields: object, message: string): void {
    this.#log('info', fields, message)
  }

  warn(fields: object, message: string): void {
    this.#log('warn', fields, message)
  }

  error(fields: object, message: string): void {
    this.#log('error', fields, message)
  }

  fatal(fields: object, message: string): void {
    this.#log('fatal', fields, message)
  }

  /** Hands over what was held, and everything from now on. */
  attach(sink: LogSink): void {
    this.#sink = sink
    for (const hand of this.#held) hand()
    this.#held = []
  }

  flush(): void {
    this.#sink?.flush()
  }

  #log(level: LineLevel, fields: object, message: string): void {
    if (this.#sink !== null) {
      this.#sink.log(level, fields, message)
      return
    }
    const time = Date.now()
    this.#held.push(() => this.#sink?.log(level, fields, message, time))
  }
}
