import { pino } from 'pino'
import { visible, visibleJson } from '../visible.js'
import type { LogSink } from './broker-log.js'
import type { LogLevel } from './log-level.js'

const STDOUT = 1

/** A reader of the log that stalls must not stall the broker: beyond so many bytes lines are dropped. */
const MAX_BYTES_HELD = 16 << 20

/** Structured lines on standard output, pretty ones where that is a terminal. */
export async function openPinoSink(logLevel: LogLevel, terminal: boolean): Promise<LogSink> {
  const destination = terminal ? await openPretty() : openPlain()
  let broken = false
  // A log that cannot be written does not end the broker. pino itself has stopped writing then.
  destination.on('error', () => {
    broken = true
  })
  let happened = 0
  // What pino writes is unescaped for a terminal: names that others chose must not command it, or forge a line.
  const hooks = terminal ? { streamWrite: visibleJson } : {}
  const logger = pino({ level: logLevel, timestamp: () => `,"time":${happened}`, hooks }, destination)
  return {
    log: ({ level, time, fields, message }) => {
      happened = time
      logger[level](fields, terminal ? visible(message) : message)
    },
    writeLine: (line) => destination.write(`${line}\n`),
    close: () =>
      new Promise((resolve) => {
        destination.once('close', resolve).once('error', resolve)
        if (broken) resolve()
        else destination.end()
      }),
  }
}

function openPlain() {
  return pino.destination({ fd: STDOUT, sync: false, maxLength: MAX_BYTES_HELD })
}

async function openPretty() {
  const { default: pretty } = await import('pino-pretty')
  return pretty({ destination: STDOUT, sync: true })
}
