import { pino } from 'pino'
import { escapedJson, visible, visibleJson } from '../visible.js'
import type { LogSink } from './broker-log.js'
import type { LogLevel } from './log-level.js'
import { StdoutLines } from './stdout-lines.js'

/** Structured lines on standard output, pretty ones where that is a terminal. */
export async function openPinoSink(logLevel: LogLevel, terminal: boolean): Promise<LogSink> {
  const destination = new StdoutLines((lines) => {
    happened = Date.now()
    logger.warn({ lines }, 'lines are missing here: whoever takes this log was too far behind')
  })
  let happened = 0
  // Names that others chose must not command a terminal, or forge a line there: pino-pretty unescapes what pino escapes.
  const hooks = { streamWrite: terminal ? await prettyLines() : escapedJson }
  const logger = pino({ level: logLevel, timestamp: () => `,"time":${happened}`, hooks }, destination)
  return {
    log: ({ level, time, fields, message }) => {
      happened = time
      logger[level](fields, terminal ? visible(message) : message)
    },
    writeLine: (line) => destination.write(`${line}\n`),
    close: () => destination.close(),
  }
}

async function prettyLines(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({})
  return (line) => pretty(visibleJson(line))
}
