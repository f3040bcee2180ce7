import { writeSync } from 'node:fs'
import { jsonText } from '../visible.js'
import type { LogLine, LogSink } from './broker-log.js'
import { LEVEL_NUMBERS } from './log-level.js'
import { stdoutDescriptor } from './stdout.js'

/** The log where pino could not be loaded: the same lines from info on, written at once, with nothing to load. */
export class PlainSink implements LogSink {
  /** @param why - what kept pino from loading; it is the first line */
  constructor(why: unknown) {
    this.log({ level: 'error', time: Date.now(), fields: { err: why }, message: 'the log goes on without pino' })
  }

  log({ level, time, fields, message }: LogLine): void {
    if (LEVEL_NUMBERS[level] < LEVEL_NUMBERS.info) return
    const line = { level: LEVEL_NUMBERS[level], time, pid: process.pid, ...fields, msg: message }
    this.writeLine(jsonText(line, (_, value) => (value instanceof Error ? describe(value) : value)))
  }

  writeLine(line: string): void {
    try {
      writeSync(stdoutDescriptor(), `${line}\n`)
    } catch {
      // Nobody reads, or a pipe is full: the broker goes on without its log.
    }
  }

  async close(): Promise<void> {}
}

function describe(error: Error): object {
  return { type: error.name, message: error.message, stack: error.stack, code: (error as { code?: unknown }).code }
}
