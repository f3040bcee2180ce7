/**
 * `npm run bench -- NAME... [--quick]`: runs benchmarks, prints their tables, and writes bench/results/NAME.json where
 * it was not a quick run. `all` is every one but those that are by hand only, `smoke` the same quickly.
 *
 * @module
 */

import type { Benchmark } from './benchmark.js'
import { printReport, saveReport } from './support/report.js'

const BENCHMARKS: Record<string, () => Promise<Benchmark>> = {
  batch: async () => (await import('./batch.js')).batch,
  fetch: async () => (await import('./fetch.js')).fetch,
  index: async () => (await import('./index.js')).index,
  append: async () => (await import('./append.js')).append,
  recovery: async () => (await import('./recovery.js')).recovery,
  compaction: async () => (await import('./compaction.js')).compaction,
  start: async () => (await import('./start.js')).start,
  'kafka-codec': async () => (await import('./kafka-codec.js')).kafkaCodec,
  client: async () => (await import('./client.js')).client,
  'first-message': async () => (await import('./first-message.js')).firstMessage,
  partitions: async () => (await import('./partitions.js')).partitions,
  hostile: async () => (await import('./hostile.js')).hostile,
  kafka: async () => (await import('./kafka.js')).kafka,
}

/** Takes long, and Java with the jars of Apache Kafka from Maven. */
const BY_HAND = ['kafka']
const EVERY_ONE = Object.keys(BENCHMARKS).filter((name) => !BY_HAND.includes(name))

const USAGE = `usage: npm run bench -- NAME... [--quick]
NAME: ${Object.keys(BENCHMARKS).join(', ')}; all: every one but ${BY_HAND.join(', ')}; smoke: all, quickly`

function namesOf(args: readonly string[]): string[] | null {
  const names = args.flatMap((name) => (name === 'all' || name === 'smoke' ? EVERY_ONE : [name]))
  return names.length > 0 && names.every((name) => Object.hasOwn(BENCHMARKS, name)) ? names : null
}

async function main(args: readonly string[]): Promise<number> {
  const quick = args.includes('--quick') || args.includes('smoke')
  const names = namesOf(args.filter((arg) => arg !== '--quick'))
  if (names === null) {
    console.error(USAGE)
    return 2
  }
  for (const name of names) {
    const benchmark = await (BENCHMARKS[name] as () => Promise<Benchmark>)()
    console.log(`\n${name}: ${benchmark.question}`)
    const begin = performance.now()
    const report = await benchmark.run({ quick })
    printReport(report)
    console.log(`\n(${((performance.now() - begin) / 1000).toFixed(1)} s)`)
    if (!quick) console.log(`written: ${await saveReport(name, benchmark.question, report)}`)
  }
  return 0
}

process.exitCode = await main(process.argv.slice(2))
