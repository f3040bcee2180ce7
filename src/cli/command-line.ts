import { Command, InvalidArgumentError, Option } from 'commander'
import { parseDatetime } from './datetime.js'

/**
 * A command that throws instead of exiting, and tells of a mistake in one line.
 *
 * @param path - what is typed to get here, such as `topics create`
 */
export function createCommand(path: string): Command {
  const title = `mykafka ${path}`.trimEnd()
  return new Command(path === '' ? 'mykafka' : path.split(' ').at(-1))
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureOutput({
      // Commander prints the whole help where a command is missing: runProgram says so in a line.
      writeErr: () => {},
      outputError: (text) => process.stderr.write(`${title}: ${oneLine(text)}\n`),
    })
}

function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
}

/** Reads an integer within bounds. */
export function integerBetween(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= low && value <= high) return value
    throw new InvalidArgumentError(`It must be an integer from ${low} to ${high}.`)
  }
}

/** Reads a text that must not be empty. */
export function nonEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}

/** Reads a time, in ms since 1970. */
export function datetime(text: string): number {
  const time = parseDatetime(text)
  if (time !== null) return time
  throw new InvalidArgumentError('It must be a time such as 2026-11-30T14:05:00.000Z, or milliseconds since 1970.')
}

const MAX_INT32 = 2147483647
const METADATA_MAX_AGE_MS = 5000

/** `--metadata-max-age-ms`, which has Kafka's name and, a request being cheap here, a lower default. */
export function metadataMaxAgeOption(): Option {
  return new Option('--metadata-max-age-ms <n>', 'how often to look for new partitions')
    .argParser(integerBetween(1, MAX_INT32))
    .default(METADATA_MAX_AGE_MS)
}

/** Examples at the end of a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`
}
