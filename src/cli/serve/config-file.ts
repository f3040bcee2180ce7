import { readFileSync } from 'node:fs'
import { type Pair, parseLines } from 'dot-properties'
import { UsageError } from '../failure.js'
import { SETTINGS, type ServeSettings } from './settings.js'

const READERS = new Map(
  SETTINGS.flatMap(({ properties = [], read }) => properties.map((name) => [name, read] as const)),
)

/**
 * Reads a properties file with Kafka's names. What stands further down wins.
 *
 * @throws UsageError naming file and line, for a name that is not known or a value that is refused
 */
export function readConfigFile(path: string): ServeSettings {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--config: ${(error as Error).message}`)
  }
  const settings: ServeSettings = {}
  for (const node of parseLines(text, true)) {
    if (node.type !== 'PAIR') continue
    const { key, value, range } = node as Required<Pair>
    const line = text.slice(0, range[0]).split('\n').length
    const read = READERS.get(key)
    if (read === undefined) throw new UsageError(`${path}:${line}: ${key} is not known`)
    try {
      Object.assign(settings, read(value.trim()))
    } catch (error) {
      throw new UsageError(`${path}:${line}: ${key}: ${(error as Error).message}`)
    }
  }
  return settings
}
