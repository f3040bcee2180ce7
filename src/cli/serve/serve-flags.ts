import { LOG_LEVELS, type LogLevel } from './log-level.js'
import { readOverride, SETTINGS, type ServeSettings } from './settings.js'

/** What the arguments of `serve` say. */
export interface ServeArguments {
  readonly settings: ServeSettings
  /** By Kafka's names. */
  readonly properties: Record<string, string>
  configFile?: string
  logLevel: LogLevel
}

/** A flag of `serve`. Each takes a value. */
export interface ServeFlag {
  /** As commander takes it. */
  readonly usage: string
  readonly description: string
  /** @throws Error with the reason, for a text that is no value of this flag */
  readonly read: (text: string, into: ServeArguments) => void
}

/** A flag for a setting by Kafka's name. */
function override(usage: string, description: string, name: string): ServeFlag {
  return {
    usage,
    description,
    read: (text, into) => void Object.assign(into.properties, readOverride(`${name}=${text}`)),
  }
}

export const SERVE_FLAGS: readonly ServeFlag[] = [
  ...SETTINGS.map(({ read, ...flag }) => ({
    ...flag,
    read: (text: string, into: ServeArguments) => void Object.assign(into.settings, read(text)),
  })),
  override('--listeners <list>', 'several addresses to listen on: NAME://HOST:PORT,...', 'listeners'),
  override(
    '--advertised-listeners <list>',
    'what clients are told instead of the address that they came to: NAME://HOST:PORT,...',
    'advertised.listeners',
  ),
  {
    usage: '--override <name=value>',
    description: "a setting by Kafka's name; as often as there are some",
    read: (text, into) => void Object.assign(into.properties, readOverride(text)),
  },
  {
    usage: '--config <file>',
    description: "a properties file with Kafka's names; flags win over it",
    read: (text, into) => {
      if (text === '') throw new Error('it must name a file')
      into.configFile = text
    },
  },
  {
    usage: '--log-level <level>',
    description: `what is logged: ${LOG_LEVELS.join(', ')} (default: info)`,
    read: (text, into) => {
      const level = LOG_LEVELS.find((known) => known === text)
      if (level === undefined) throw new Error(`it must be one of ${LOG_LEVELS.join(', ')}`)
      into.logLevel = level
    },
  },
]

export function noArguments(): ServeArguments {
  return { settings: {}, properties: {}, logLevel: 'info' }
}
