import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { jsonText } from '../visible.js'
import type { LogLine } from './broker-log.js'
import { LEVEL_NUMBERS, type LogLevel } from './log-level.js'
import { stdoutDescriptor } from './stdout.js'

/** So much a pipe takes whole or not at all. */
const PIPE_BYTES = 4096
const PINOS_OWN_KEYS: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

/**
 * Writes what was logged during the start, then a line, as pino would but without loading it, which takes a good part
 * of a start. Returns false, with nothing written, where that needs pino.
 */
export function writePlainLines(level: LogLevel, held: readonly LogLine[], line: string): boolean {
  const logged = held.filter((entry) => LEVEL_NUMBERS[entry.level] >= LEVEL_NUMBERS[level])
  if (!logged.every(isPlain)) return false
  const base = { pid: process.pid, hostname: logged.length > 0 ? hostname() : '' }
  const lines = logged.map((entry) => jsonText(asPino(entry, base)))
  const text = `${[...lines, line].join('\n')}\n`
  if (Buffer.byteLength(text) > PIPE_BYTES) return false
  try {
    writeSync(stdoutDescriptor(), text)
  } catch (error) {
    // Nobody reads: a broker goes on without its log.
    return (error as NodeJS.ErrnoException).code === 'EPIPE'
  }
  return true
}

function isPlain({ fields }: LogLine): boolean {
  return Object.entries(fields).every(([key, value]) => !PINOS_OWN_KEYS.has(key) && isScalar(value))
}

function isScalar(value: unknown): boolean {
  return value == null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

function asPino({ level, time, fields, message }: LogLine, base: { pid: number; hostname: string }): object {
  return { level: LEVEL_NUMBERS[level], time, ...base, ...fields, msg: message }
}
