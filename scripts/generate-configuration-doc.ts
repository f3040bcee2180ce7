/** Writes docs/configuration.md from the tables of settings. With `--check` it fails where the file differs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BrokerConfig, DEFAULT_BROKER_CONFIG } from '../src/server/broker-config.js'
import { BROKER_SETTINGS, type BrokerSetting } from '../src/server/broker-settings.js'
import { IGNORED } from '../src/server/ignored-properties.js'
import type { ConfigDefinition } from '../src/topic/config-definition.js'
import { TOPIC_CONFIGS, type TopicConfigDefinition } from '../src/topic/topic-configs.js'

export const CONFIGURATION_DOC = fileURLToPath(new URL('../docs/configuration.md', import.meta.url))

const EFFECTS = { now: 'yes', later: 'not yet', none: 'none' }

/** Fields of `Broker.start` that are no setting of Kafka's by themselves. */
const UNNAMED: Partial<Record<keyof BrokerConfig | 'dataDir' | 'logger', string>> = {
  dataDir: '`log.dirs`. Without it: a temporary directory, which `stop` removes, and nothing is synced.',
  logger: 'What hears what the broker has to say: pino, `console` or the like. Without it: nothing does.',
  host: 'The address of the first of `listeners`.',
  port: 'The port of the first of `listeners`; 0 for a free one. Without `dataDir` it is 0.',
  listeners: '`listeners`, as a list of `{ name, host, port }`.',
  advertisedListeners: '`advertised.listeners`, as a list of `{ name, host, port }`.',
  properties: "Settings by Kafka's names. The fields win.",
  stallTimeoutMs: 'A client that takes no byte of its answers for so long is dropped.',
  maxConnectionBytes: 'Bytes of requests under way, and as many of answers, that are held in memory for a connection.',
  maxResponseBytes: 'Bytes of answers that are held in memory for all connections.',
  maxInFlight: 'Requests of a connection that may be under way.',
  shutdownTimeoutMs: 'How long `stop` waits for connections to finish.',
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
const byName = <T extends { name: string }>(definitions: Iterable<T>): T[] =>
  [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1))

function shownDefault({ default: value }: ConfigDefinition): string {
  if (value === null) return ''
  return value === '' ? 'empty' : `\`${value}\``
}

function shownField({ field }: BrokerSetting): string {
  return field === undefined ? '' : `\`${field}\``
}

function topicRow(definition: TopicConfigDefinition): string {
  const { name, synonyms, effect, doc } = definition
  const ofBroker = synonyms.map((synonym) => `\`${typeof synonym === 'string' ? synonym : synonym[0]}\``).join(', ')
  return `| \`${name}\` | ${shownDefault(definition)} | ${ofBroker} | ${EFFECTS[effect]} | ${cell(doc)} |`
}

function brokerRow(setting: BrokerSetting): string {
  const { name, effect, doc } = setting
  return `| \`${name}\` | ${shownField(setting)} | ${shownDefault(setting)} | ${EFFECTS[effect]} | ${cell(doc)} |`
}

function fieldRows(): string[] {
  const named = new Set([...BROKER_SETTINGS.values()].map(({ field }) => field))
  const untold = Object.keys(DEFAULT_BROKER_CONFIG).filter(
    (field) => !named.has(field as keyof BrokerConfig) && !(field in UNNAMED),
  )
  if (untold.length > 0) throw new Error(`no documentation says anything of ${untold.join(', ')}`)
  const defaults: Record<string, unknown> = { ...DEFAULT_BROKER_CONFIG }
  return Object.entries(UNNAMED).map(([field, doc]) => {
    const value = defaults[field]
    const shown = value === undefined || typeof value === 'object' ? '' : `\`${value}\``
    return `| \`${field}\` | ${shown} | ${cell(doc)} |`
  })
}

/** The text of docs/configuration.md. */
export function renderConfigurationDoc(): string {
  return [
    '# Configuration',
    '',
    '<!-- Made by scripts/generate-configuration-doc.ts from the tables in src/. Do not edit. -->',
    '',
    "Names are Kafka's. A broker's settings come from flags ([cli.md](cli.md)), from `--override NAME=VALUE` and from a",
    'properties file (`--config`), in this order; in a program from the fields of `Broker.start({ ... })`, and from its',
    "`properties: { NAME: VALUE }`. A running broker's settings cannot be changed; those of topics can, by any Kafka client.",
    '',
    '**Effect** says what a setting does today. *yes*: what Kafka says. *not yet*: it is checked, kept and shown, and waits',
    'for a part of MyKafka that is not built. *none*: it is checked, kept and shown; there is nothing that it could apply to.',
    'A broker that is given one of the latter two says so in its log.',
    '',
    '## Topics',
    '',
    '| Name | Default | Of the broker | Effect | |',
    '|---|---|---|---|---|',
    ...byName(TOPIC_CONFIGS.values()).map(topicRow),
    '',
    '## Brokers',
    '',
    'Field: the name in `Broker.start({ ... })`.',
    '',
    '| Name | Field | Default | Effect | |',
    '|---|---|---|---|---|',
    ...byName(BROKER_SETTINGS.values()).map(brokerRow),
    '',
    'The other fields of `Broker.start({ ... })`:',
    '',
    '| Field | Default | |',
    '|---|---|---|',
    ...fieldRows(),
    '',
    '## Settings of Kafka that mean nothing here',
    '',
    'They are accepted, and the log names them, so that a file of an Apache Kafka broker starts this one. Those that would',
    'protect something (`authorizer.class.name`, listeners that speak SSL or SASL and the like) are refused, and so are',
    "names that are not Kafka's: a misspelt setting must not look as if it were set.",
    '',
    '| Names that begin with | Why |',
    '|---|---|',
    ...IGNORED.map(([reason, names]) => `| ${names.map((name) => `\`${name}\``).join(' ')} | ${reason} |`),
    '',
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) {
    writeFileSync(CONFIGURATION_DOC, renderConfigurationDoc())
  } else if (readFileSync(CONFIGURATION_DOC, 'utf8') !== renderConfigurationDoc()) {
    console.error('docs/configuration.md is not what the tables say: run npm run generate')
    process.exitCode = 1
  }
}
