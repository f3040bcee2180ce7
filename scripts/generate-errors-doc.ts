/**
 * Writes docs/errors.md from the tables of src/errors.ts. With `--check` it writes nothing and fails
 * where the file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { KAFKA_ERRORS, LOCAL_ERRORS } from '../src/errors.js'

export const ERRORS_DOC = fileURLToPath(new URL('../docs/errors.md', import.meta.url))

/** The text of docs/errors.md. */
export function renderErrorsDoc(): string {
  const yes = (retriable: boolean): string => (retriable ? 'yes' : 'no')
  const kafka = Object.entries(KAFKA_ERRORS).map(
    ([name, { wire, retriable, message }]) => `| ${wire} | \`${name}\` | ${yes(retriable)} | ${message} |`,
  )
  const local = Object.entries(LOCAL_ERRORS).map(
    ([name, { travelsAs, retriable, message }]) =>
      `| \`${name}\` | \`${travelsAs}\` | ${yes(retriable)} | ${message} |`,
  )
  return [
    '# Errors',
    '',
    '<!-- Made by scripts/generate-errors-doc.ts from src/errors.ts. Do not edit. -->',
    '',
    'Every error that MyKafka raises is a `MyKafkaError` with one of these codes in `code`. Where the system refused,',
    "`errno` says why. [protocol.md](protocol.md) lists which call of MyKafka's wire answers which.",
    '',
    "## Kafka's codes",
    '',
    "Names, numbers and retriability are Kafka's. On MyKafka's wire the number is a signed byte.",
    '',
    '| Number | Code | Retriable | Meaning |',
    '|---:|---|---|---|',
    ...kafka,
    '',
    '## Codes of our own',
    '',
    'These never travel. A peer is told the Kafka code of the second column.',
    '',
    '| Code | Travels as | Retriable | Meaning |',
    '|---|---|---|---|',
    ...local,
    '',
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) {
    writeFileSync(ERRORS_DOC, renderErrorsDoc())
  } else if (readFileSync(ERRORS_DOC, 'utf8') !== renderErrorsDoc()) {
    console.error('docs/errors.md is not what src/errors.ts says: run npx tsx scripts/generate-errors-doc.ts')
    process.exitCode = 1
  }
}
