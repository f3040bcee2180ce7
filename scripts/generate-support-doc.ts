/** Writes docs/support.md from what the last recorded interop run says: test/interop/results.json. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { InteropResults } from '../test/interop/support/results.js'
import { loadSchemas } from './generate-kafka-codecs.js'

const RESULTS = fileURLToPath(new URL('../test/interop/results.json', import.meta.url))
const SUPPORT_DOC = fileURLToPath(new URL('../docs/support.md', import.meta.url))

/** The columns, and the tests that they stand for. */
const SCENARIOS = [
  ['produce', 'produces'],
  ['consume', 'consumes from the earliest on'],
  ['group, rebalance', 'shares a topic between two members of a group, and again when one leaves'],
  ['commit, resume', 'goes on from what it committed'],
  ['topics', 'creates, describes, alters and deletes topics'],
  ['gzip', 'compresses by gzip'],
  ['snappy', 'compresses by snappy'],
  ['lz4', 'compresses by lz4'],
  ['zstd', 'compresses by zstd'],
  ['idempotent', 'produces idempotently'],
] as const

/** The same for topics from which records go. */
const REMOVALS = [
  ['over gaps', 'reads a compacted topic to its end, kafka'],
  ['over gaps (mykafka)', 'reads a compacted topic to its end, mykafka'],
  ['to the earliest', 'begins at the earliest where what its group is to read is gone'],
  ['to the latest', 'begins at the latest where it is told to'],
] as const

const FORMATS = ['kafka topics', 'mykafka topics'] as const

type Outcome = 'passed' | 'failed' | undefined

const mark = (outcome: Outcome): string => (outcome === undefined ? '–' : outcome === 'passed' ? 'yes' : '**no**')

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [row(heads), row(heads.map((_, index) => (index === 0 ? '---' : ':---:'))), ...rows.map(row)]
}

/** One row a client; one that was not run says so in every column. */
function clientTable({ clients, tests }: InteropResults): string[] {
  const rows = clients.map(({ name, version, reason }) => {
    const outcome = (file: string, group: string, test: string): Outcome => tests[file]?.[group]?.[test]
    const cells = [
      ...SCENARIOS.map(([, test]) => mark(outcome('clients', name, test))),
      ...FORMATS.flatMap((format) => [
        mark(outcome('matrix', format, `${name} writes`)),
        mark(outcome('matrix', format, `${name} reads what all wrote`)),
      ]),
    ]
    return [`${name} ${version ?? ''}`.trim(), ...(reason === undefined ? cells : cells.map(() => 'not run'))]
  })
  const heads = ['', ...SCENARIOS.map(([head]) => head), 'writes', 'reads', 'writes (mykafka)', 'reads (mykafka)']
  return table(heads, rows)
}

function removalTable({ clients, tests: { removal } }: InteropResults): string[] {
  if (removal === undefined) return []
  const rows = clients
    .filter(({ reason }) => reason === undefined)
    .map(({ name }) => [name, ...REMOVALS.map(([, test]) => mark(removal[name]?.[test]))])
  return [
    '## Topics from which records go',
    '',
    'What clients read of a compacted topic, and where they begin when retention has removed what they ask for.',
    '',
    ...table(['', ...REMOVALS.map(([head]) => head)], rows),
    '',
  ]
}

/** The tests of a file, one a row. */
function testTable(head: string, tests: Readonly<Record<string, 'passed' | 'failed'>> = {}): string[] {
  return table(
    [head, ''],
    Object.entries(tests).map(([name, outcome]) => [name, mark(outcome)]),
  )
}

async function apiTable({ apis }: InteropResults): Promise<string[]> {
  const names = new Map((await loadSchemas()).map(({ schema }) => [schema.key, schema.name]))
  const rows = apis.map(({ key, min, max }) => [names.get(key) ?? '', String(key), `${min}–${max}`])
  return table(['API', 'key', 'versions'], rows)
}

const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as InteropResults
const ownWire = FORMATS.map((format) => [
  format,
  mark(results.tests.matrix?.[format]?.["MyKafka's wire writes"]),
  mark(results.tests.matrix?.[format]?.["MyKafka's wire reads what all wrote"]),
])

const text = [
  '# What works with MyKafka',
  '',
  '<!-- Made by scripts/generate-support-doc.ts from test/interop/results.json. Do not edit. -->',
  '',
  `What passed when \`npm run test:interop\` was last recorded, on ${results.date}. Every program is a real client, used as`,
  'with Apache Kafka. "–": the client has no such call. "not run": it could not be installed on that machine.',
  '',
  '## Clients',
  '',
  ...clientTable(results),
  '',
  'Each client *writes* records (null and empty keys and values, all bytes, headers, timestamps, in every codec) and *reads*',
  'what all the others wrote, byte for byte: to and from topics of record batches, and, without headers, topics of',
  "MyKafka's own entries. What a client itself cannot do, with any broker:",
  '',
  ...results.clients
    .filter(({ limits }) => limits.length > 0)
    .map(({ name, limits }) => `- ${name} ${limits.join(', ')}`),
  '',
  "MyKafka's own wire takes part in both:",
  '',
  ...table(['', 'writes', 'reads'], ownWire),
  '',
  "## Apache Kafka's console tools",
  '',
  ...testTable('tool', results.tests.tools?.["Apache Kafka's tools"]),
  '',
  '## Groups',
  '',
  ...testTable('what holds', results.tests.groups?.groups),
  '',
  ...removalTable(results),
  '## APIs',
  '',
  'As the answer to ApiVersions lists them. Produce is served from version 3 on.',
  '',
  ...(await apiTable(results)),
  '',
].join('\n')

writeFileSync(SUPPORT_DOC, text)
