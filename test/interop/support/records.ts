import type { Feature } from './clients.js'

/** A record for a client to write. Bytes are base64. */
export interface WrittenRecord {
  readonly partition: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /** Null: the client's clock. */
  readonly timestamp: number | null
}

export function base64(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64')
}

/** Records with text for values, on one partition after the other. */
export function numbered(prefix: string, count: number, partitions: number): WrittenRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    partition: index % partitions,
    key: base64(`key ${index}`),
    value: base64(`${prefix} ${index}`),
    headers: [],
    timestamp: null,
  }))
}

const HOUR_AGO = Date.now() - 3_600_000

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

interface Example extends Partial<WrittenRecord> {
  readonly needs?: readonly Feature[]
}

/** What must come back byte for byte. A header's name may come again, a value may be null. */
const EXAMPLES: readonly Example[] = [
  { key: base64('key'), value: base64('value') },
  { key: null, value: base64('without a key') },
  { key: base64('deleted'), value: null },
  { key: null, value: null, needs: ['null key and value'] },
  { key: '', value: '', needs: ['empty bytes'] },
  { key: base64(ALL_BYTES), value: base64(ALL_BYTES) },
  { key: base64('ключ'), value: base64('значение 🗝') },
  { key: base64('early'), value: base64('of 2001'), timestamp: 1_000_000_000_123, needs: ['distant timestamp'] },
  { key: base64('late'), value: base64('of 2033'), timestamp: 2_000_000_000_456, needs: ['distant timestamp'] },
  { key: base64('an hour'), value: base64('ago'), timestamp: HOUR_AGO, needs: ['timestamp'] },
]

const EXAMPLES_WITH_HEADERS: readonly Example[] = [
  {
    value: base64('two headers'),
    headers: [
      ['first', base64('1')],
      ['second', base64('2')],
    ],
  },
  {
    value: base64('a name that comes again'),
    headers: [
      ['again', base64('1')],
      ['again', base64('2')],
      ['once', base64('3')],
    ],
  },
  { value: base64('a header of bytes'), headers: [['bytes', base64(ALL_BYTES)]], needs: ['header of bytes'] },
  { value: base64('an empty header'), headers: [['empty', '']], needs: ['empty header'] },
  { value: base64('a header without a value'), headers: [['null', null]], needs: ['null header'] },
]

/** It travels as an argument to the programs, which have a limit. */
const LARGE: Example = { key: base64('large'), value: base64(new Uint8Array(60_000).fill(7)) }

export interface ExampleOptions {
  readonly cannotWrite?: readonly Feature[]
  readonly headers: boolean
  readonly large?: boolean
  readonly partitions: number
}

/** The examples that a client can write, on one partition after the other. */
export function examples({ cannotWrite = [], headers, large = false, partitions }: ExampleOptions): WrittenRecord[] {
  return [...EXAMPLES, ...(headers ? EXAMPLES_WITH_HEADERS : []), ...(large ? [LARGE] : [])]
    .filter(({ needs = [] }) => !needs.some((feature) => cannotWrite.includes(feature)))
    .map(({ key = null, value = null, headers: list = [], timestamp = null }, index) => ({
      partition: index % partitions,
      key,
      value,
      headers: list,
      timestamp,
    }))
}
