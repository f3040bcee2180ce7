import { join } from 'node:path'
import { CACHE, INTEROP } from './folders.js'
import type { Installed } from './install.js'

/** An API as the broker's ApiVersions answer lists it. */
export interface ServedApi {
  readonly key: number
  readonly min: number
  readonly max: number
}

/** What came of a run, test by test. */
export interface InteropResults {
  /** As year-month-day. */
  readonly date: string
  readonly clients: readonly Installed[]
  readonly apis: readonly ServedApi[]
  /** By file, by group in the file, by test. */
  readonly tests: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, 'passed' | 'failed'>>>>>>
}

/** Those of the last whole run, which docs/support.md is made of. */
export const RESULTS = join(INTEROP, 'results.json')

/** Those of the last run of any kind. */
export const LAST_RESULTS = join(CACHE, 'results.json')

declare module 'vitest' {
  interface TaskMeta {
    apis?: readonly ServedApi[]
  }
}
