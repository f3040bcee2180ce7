import { type BrokerConfig, DEFAULT_BROKER_CONFIG } from '../../server/broker-config.js'
import { type Properties, readProperty } from '../../server/broker-properties.js'
import { resolveBrokerConfig } from '../../server/resolve-broker-config.js'

/** What flags say: only what they say. */
export interface ServeSettings extends Partial<BrokerConfig> {
  dataDir?: string
}

/** One setting that has a flag. */
export interface Setting {
  readonly usage: string
  readonly description: string
  /** @throws Error with the reason, for a text that is no value of this setting */
  readonly read: (text: string) => ServeSettings
}

export const DEFAULT_DATA_DIR = './mykafka-data'

/** The setting, where the broker would accept it. */
function accepted(settings: ServeSettings): ServeSettings {
  resolveBrokerConfig(settings)
  return settings
}

/** Whole numbers: which are in bounds, the broker's configuration says. */
const integer = (key: keyof BrokerConfig) => (text: string) =>
  accepted({ [key]: /^-?\d{1,16}$/.test(text) ? Number(text) : text })

const word = (key: keyof BrokerConfig) => (text: string) => accepted({ [key]: text })

function readZeroCopy(text: string): ServeSettings {
  if (text === 'on' || text === 'off') return { zeroCopy: text === 'on' }
  throw new Error(`it must be on or off, not ${text}`)
}

function readDataDir(text: string): ServeSettings {
  if (text === '') throw new Error('it must name a directory')
  return { dataDir: text }
}

function readHost(text: string): ServeSettings {
  if (text === '') throw new Error('it must name an address')
  return { host: text }
}

/**
 * Reads `name=value`, checked as far as one setting can be.
 *
 * @throws Error with the reason
 */
export function readOverride(text: string): Properties {
  const at = text.indexOf('=')
  if (at <= 0) throw new Error(`it must be name=value, not ${text}`)
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1)]
  readProperty(name, value)
  return { [name]: value }
}

const { host, port, segmentBytes, indexIntervalBytes, partitioner, fsync, zeroCopy, maxConnections } =
  DEFAULT_BROKER_CONFIG

/** Every setting of `mykafka serve` that has a flag of its own. */
export const SETTINGS: readonly Setting[] = [
  {
    usage: '--data-dir <directory>',
    description: `where topics are kept (default: ${DEFAULT_DATA_DIR})`,
    read: readDataDir,
  },
  { usage: '--host <address>', description: `the address to listen on (default: ${host})`, read: readHost },
  {
    usage: '--port <n>',
    description: `the port to listen on, 0 picks a free one (default: ${port})`,
    read: integer('port'),
  },
  {
    usage: '--segment-bytes <n>',
    description: `a segment file rolls before it would be larger (default: ${segmentBytes})`,
    read: integer('segmentBytes'),
  },
  {
    usage: '--index-interval-bytes <n>',
    description: `log bytes between two index entries (default: ${indexIntervalBytes})`,
    read: integer('indexIntervalBytes'),
  },
  {
    usage: '--partitioner <name>',
    description: `murmur2 (Kafka's) or java-hash, for records without a partition (default: ${partitioner})`,
    read: word('partitioner'),
  },
  {
    usage: '--fsync <policy>',
    description: `acks (as each request asks), always or never (default: ${fsync})`,
    read: word('fsync'),
  },
  {
    usage: '--zero-copy <on|off>',
    description: `whether fetches go from the file to the socket by sendfile (default: ${zeroCopy ? 'on' : 'off'})`,
    read: readZeroCopy,
  },
  {
    usage: '--max-connections <n>',
    description: `more connections are refused (default: ${maxConnections})`,
    read: integer('maxConnections'),
  },
]
