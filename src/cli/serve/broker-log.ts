import type { Logger } from '../../logger.js'
import { PlainSink } from './plain-sink.js'

/** The levels at which the broker logs. */
export type LineLevel = keyof Logger | 'fatal'

/** What was logged, and when, in milliseconds since 1970. */
export interface LogLine {
  readonly level: LineLevel
  readonly time: number
  readonly fields: object
  readonly message: string
}

/** Where lines go. */
export interface LogSink {
  log(line: LogLine): void
  /** A line as it is, in its place among the others. */
  writeLine(line: string): void
  /** Resolves when everything is out. Nothing is logged behind it. */
  close(): Promise<void>
}

/**
 * The broker's logger. Its sink is expensive to load, so it is opened late: lines are held until then, in order and
 * with their times.
 */
export class BrokerLog implements Logger {
  readonly #openSink: () => Promise<LogSink>
  #held: LogLine[] = []
  #sink: LogSink | null = null
  #opening: Promise<LogSink> | null = null
  #started = false

  constructor(openSink: () => Promise<LogSink>) {
    this.#openSink = openSink
  }

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

  /** Opens the sink, which gets what is held and everything from now on. */
  open(): Promise<LogSink> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /**
   * Writes a line behind everything that was logged. From now on the sink opens with the next line.
   *
   * @param writePlain - writes what is held and the line without the sink, or returns false where it cannot
   */
  async announce(line: string, writePlain: (held: readonly LogLine[], line: string) => boolean): Promise<void> {
    this.#started = true
    if (this.#opening === null && writePlain(this.#held, line)) {
      this.#held = []
      return
    }
    const sink = await this.open()
    sink.writeLine(line)
  }

  /** Brings out everything. The last call. */
  async close(): Promise<void> {
    if (this.#held.length > 0) await this.open()
    await this.#sink?.close()
  }

  async #open(): Promise<LogSink> {
    // What the log is needed for most may be what keeps its modules from loading: no descriptor left, no memory.
    const sink = await this.#openSink().catch((err: unknown) => new PlainSink(err))
    for (const line of this.#held) sink.log(line)
    this.#held = []
    this.#sink = sink
    return sink
  }

  #log(level: LineLevel, fields: object, message: string): void {
    const line = { level, time: Date.now(), fields, message }
    if (this.#sink !== null) {
      this.#sink.log(line)
      return
    }
    this.#held.push(line)
    if (this.#started) void this.open()
  }
}
