/** What a recorded life says of itself: marks between its file operations. */
import type { RecordFormat } from '../../../src/log/record-format.js'

/** Key and value; a null value is a tombstone. */
export type Sent = readonly [key: string, value: string | null]

/** What is about to be done. */
export type Asked =
  | {
      readonly do: 'create'
      readonly topic: string
      readonly format: RecordFormat
      readonly partitions: number
      readonly config: Readonly<Record<string, string>>
    }
  | { readonly do: 'delete'; readonly topic: string }
  | { readonly do: 'grow'; readonly topic: string; readonly partitions: number }
  | { readonly do: 'alter'; readonly topic: string; readonly config: Readonly<Record<string, string>> }
  | {
      readonly do: 'send'
      readonly topic: string
      readonly partition: number
      readonly acks: 1 | 'all'
      readonly records: readonly Sent[]
    }
  /** Of what lies below the offset, or from it on. */
  | {
      readonly do: 'delete-records' | 'truncate'
      readonly topic: string
      readonly partition: number
      readonly offset: number
    }
  | {
      readonly do: 'commit'
      readonly group: string
      readonly topic: string
      readonly partition: number
      readonly offset: number
    }
  | { readonly do: 'retention' | 'compact' | 'flush' | 'close' | 'open' }

/** What came of it: of a creation the topic's id, of appends the first offset, of retention where logs begin. */
export interface Result {
  readonly id?: string
  readonly base?: number
  /** By `<topic> <partition>`. */
  readonly starts?: Readonly<Record<string, number>>
}

/** `n` says which of what was asked is done or has failed. */
export type Mark =
  | { readonly mark: 'asked'; readonly n: number; readonly asked: Asked }
  | { readonly mark: 'done'; readonly n: number; readonly result: Result }
  | { readonly mark: 'failed'; readonly n: number; readonly code: string; readonly message: string }
  | { readonly mark: 'logged'; readonly level: 'warn' | 'error'; readonly message: string; readonly directory: string }
  /** What is in a mapped file by now. */
  | { readonly mark: 'seen'; readonly path: string; readonly base64: string }
  /** Something went wrong that nobody caught. */
  | { readonly mark: 'broken'; readonly message: string }

/** A broker's engine, or a log that a program embeds. */
export type EngineKind = 'broker' | 'log'

/** How an engine is opened, in the life and behind a crash alike. */
export interface EngineSettings {
  readonly kind: EngineKind
  readonly segmentBytes: number
  readonly indexIntervalBytes: number
  readonly offsetsSegmentBytes: number
  readonly commitAcks: 1 | 'all'
  /** Of an embedded log: the most bytes that retention leaves; -1: it is compacted. */
  readonly retentionBytes: number
}
