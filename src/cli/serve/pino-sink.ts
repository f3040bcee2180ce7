import { pino } from 'pino'
import type { LogSink } from './broker-log.js'
import type { LogLevel } from './log-level.js'

const STDOUT = 1

/** A reader of the log that stalls must not stall the broker: beyond so many bytes lines are dropped. */
const MAX_BYTES_HELD = 16 << 20

/** Structured lines on standard output, pretty ones where that is a terminal. */
export async function openPinoSink(level: LogLevel, terminal: boolean): Promise<LogSink> {
  const destination = terminal ? await openPretty() : openPlain()
  let happened: number | undefined
  const logger = pino({ level, timestamp: () => `,"time":${happened ?? Date.now()}` }, destination)
  return {
    log: (lineLevel, fields, message, time) => {
      happened = time
      logger[lineLevel](fields, message)
      happened = undefined
    },
    writeLine: (line) => destination.write(`${line}\n`),
    flush: () => {
      if ('flushSync' in destination) destination.flushSync()
    },
  }
}

function openPlain() {
  return pino.destination({ fd: STDOUT, sync: false, maxLength: MAX_BYTES_HELD })
}

async function openPretty() {
  const { default: pretty } = await import('pino-pretty')
  return pretty({ destination: STDOUT, sync: true })
}
