import { readFileSync } from 'node:fs'
import { type Pair, parseLines } from 'dot-properties'
import { readProperty } from '../../server/broker-properties.js'
import { UsageError } from '../failure.js'

/**
 * Reads a properties file with Kafka's names. What stands further down wins.
 *
 * @throws UsageError naming file and line, for a name that is not known or a value that is refused
 */
export function readConfigFile(path: string): Record<string, string> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--config: ${(error as Error).message}`)
  }
  const properties: Record<string, string> = {}
  for (const node of parseLines(text, true)) {
    if (node.type !== 'PAIR') continue
    const { key, value, range } = node as Required<Pair>
    const line = text.slice(0, range[0]).split('\n').length
    try {
      readProperty(key, value)
    } catch (error) {
      throw new UsageError(`${path}:${line}: ${(error as Error).message}`)
    }
    properties[key] = value
  }
  return properties
}
