/** What is done to a log, one thing after another, decided by a seed. It can be told to another process. */
import type { RecordFormat } from '../../../src/log/record-format.js'
import type { Random } from '../random.js'

/** A record to be written; a null value is a tombstone. */
export interface GivenRecord {
  readonly key: string
  readonly value: string | null
  /** In a kafka log: so many milliseconds before the clock; below 0, in the future. */
  readonly age: number
  readonly header: string | null
}

/** One append. */
export interface Append {
  readonly records: readonly GivenRecord[]
  readonly acks: 1 | 'all'
  /** The rest is of kafka logs: the number of the codec. */
  readonly codec: number
  readonly logAppendTime: boolean
  /** Which of the idempotent producers; null: none. */
  readonly producer: number | null
}

export type Operation =
  /** Appends side by side. */
  | { readonly kind: 'write'; readonly appends: readonly Append[] }
  /** The last batch of a producer once more. */
  | { readonly kind: 'retry'; readonly producer: number }
  /** A compaction: of so much memory for keys and for compressed batches, ended behind so many steps, with appends and reads meanwhile. */
  | {
      readonly kind: 'clean'
      readonly bufferBytes: number
      readonly ioBufferBytes: number
      readonly steps: number | null
      readonly meanwhile: readonly Append[]
    }
  /** Of the files with these endings, which can be made anew, none is there then. */
  | { readonly kind: 'restart'; readonly how: 'clean' | 'unclean' | 'forgetful'; readonly loses: readonly string[] }
  /** By size down to a share of the bytes; by time, what is older than so many milliseconds. */
  | { readonly kind: 'retention'; readonly share: number | null; readonly ms: number | null }
  /** Of what lies between log start and end. */
  | { readonly kind: 'delete-records'; readonly share: number }
  | { readonly kind: 'truncate'; readonly share: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'reconfigure'; readonly segmentBytes: number }
  | { readonly kind: 'verify' }

/** What is done how often. */
export interface Mix {
  readonly recordFormat: RecordFormat
  /** Whether records go otherwise than by compaction. */
  readonly removes: boolean
}

/** So many that some are silent until all of their records are compacted away. */
export const PRODUCERS = 12
const KEYS = 70
const HOUR = 3_600_000
/** Small, so that tables of keys are full before the log is done; large enough for all. */
const BUFFERS = [1024, 1200, 1 << 20, 1 << 20]
/** One compressed batch at a time, a few, all of a segment. */
const IO_BUFFERS = [0, 500, 1 << 20]
const SEGMENT_BYTES = [1024, 2048, 4096, 16_384]
const CODECS = [0, 0, 1, 2, 3, 4]

/** The next operation. */
export function randomOperation(random: Random, mix: Mix): Operation {
  const kind = random.next()
  if (kind < 0.55) return { kind: 'write', appends: someAppends(random, mix, 4) }
  if (kind < 0.7) return randomCleaning(random, mix)
  if (kind < 0.78) return { kind: 'time', ms: random.integer(1, HOUR) }
  if (kind < 0.84) return randomRestart(random)
  if (kind < 0.87) return { kind: 'reconfigure', segmentBytes: random.pick(SEGMENT_BYTES) }
  if (kind < 0.89) return { kind: 'verify' }
  if (kind < 0.93 && mix.recordFormat === 'kafka') return { kind: 'retry', producer: random.integer(0, PRODUCERS - 1) }
  if (kind < 0.97 || !mix.removes) return { kind: 'write', appends: someAppends(random, mix, 1) }
  return randomRemoval(random)
}

function randomCleaning(random: Random, mix: Mix): Operation {
  const steps = random.next() < 0.3 ? random.integer(0, 6) : null
  const meanwhile = random.next() < 0.3 ? someAppends(random, mix, 6) : []
  const [bufferBytes, ioBufferBytes] = [random.pick(BUFFERS), random.pick(IO_BUFFERS)]
  return { kind: 'clean', bufferBytes, ioBufferBytes, steps, meanwhile }
}

function randomRestart(random: Random): Operation {
  const how = random.pick(['clean', 'clean', 'unclean', 'unclean', 'forgetful'] as const)
  // Behind a clean stop no snapshot means that there are no producers.
  const endings = how === 'clean' ? ['.index', '.timeindex'] : ['.index', '.timeindex', '.snapshot']
  const loses = endings.filter(() => random.next() < 0.2)
  return { kind: 'restart', how, loses }
}

function randomRemoval(random: Random): Operation {
  const kind = random.next()
  if (kind < 0.3) return { kind: 'delete-records', share: random.next() * 0.3 }
  if (kind < 0.5) return { kind: 'truncate', share: random.next() < 0.3 ? random.next() : 1 - random.next() / 10 }
  if (kind < 0.75) return { kind: 'retention', share: 0.3 + random.next() * 0.7, ms: null }
  return { kind: 'retention', share: null, ms: random.integer(1, 12 * HOUR) }
}

function someAppends(random: Random, mix: Mix, most: number): Append[] {
  return Array.from({ length: random.integer(1, most) }, () => randomAppend(random, mix.recordFormat))
}

function randomAppend(random: Random, format: RecordFormat): Append {
  const isKafka = format === 'kafka'
  return {
    records: Array.from({ length: random.next() < 0.4 ? 1 : random.integer(1, 9) }, () => randomRecord(random, format)),
    acks: random.pick([1, 1, 'all'] as const),
    codec: isKafka ? random.pick(CODECS) : 0,
    logAppendTime: isKafka && random.next() < 0.15,
    producer: isKafka && random.next() < 0.4 ? random.integer(0, PRODUCERS - 1) : null,
  }
}

function randomRecord(random: Random, format: RecordFormat): GivenRecord {
  // Some keys are written all the time, others hardly ever.
  const key = `key-${Math.floor(KEYS * random.next() ** 2)}`
  const value = random.next() < 0.2 ? null : randomValue(random)
  const age = random.next() < 0.8 ? random.integer(0, 1000) : random.integer(-HOUR, 5 * HOUR)
  return { key, value, age, header: format === 'kafka' && random.next() < 0.2 ? `h${random.integer(0, 99)}` : null }
}

function randomValue(random: Random): string {
  const kind = random.next()
  const length = kind < 0.1 ? 0 : kind < 0.97 ? random.integer(1, 200) : random.integer(1000, 5000)
  return `${random.integer(0, 999_999_999)} ${'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length)}`
}
