/**
 * What a harness of `npm run faults` is. It runs outside of the test runner: of test/support it takes what does not
 * import vitest, and what it opened by those modules is cleared up behind it (test/support/clean-up.ts).
 */

/** One line of the table in docs/durability.md: what one kind of fault did to what was asked for in one mode. */
export interface Row {
  /** 'power loss on ext4', 'kill -9', 'torn writes (simulated)' and the like. */
  readonly fault: string
  /** What was asked of the broker: 'acks=all', 'acks=1' and the like. */
  readonly mode: string
  /** Whether what is acknowledged in this mode must survive this fault. */
  readonly promised: boolean
  readonly rounds: number
  /** Records. */
  readonly acknowledged: number
  /** Acknowledged records that were gone. */
  readonly lost: number
  /**
   * Records that were never sent, with wrong bytes, out of order or twice without leave; offsets of groups ahead of
   * the data.
   */
  readonly wrong: number
}

/** A fault that was put into the sources on purpose, and the harness that noticed it. */
export interface Caught {
  readonly mutant: string
  /** Its name; of tests, their file. */
  readonly harness: string
  /** So many it took. */
  readonly rounds: number
  /** Of the round that noticed it; null: it has none. */
  readonly seed: number | null
}

export interface Outcome {
  readonly rows: readonly Row[]
  /** What broke a promise, each with the seed that shows it again. */
  readonly failures: readonly string[]
  readonly caught?: readonly Caught[]
  /** Mutants that nobody noticed. */
  readonly missed?: readonly string[]
}

export interface RunOptions {
  /** Round i has the seed `seed + i`, so that one of them can be run again alone. */
  readonly seed: number
  readonly rounds: number
  log(line: string): void
  /** Aborted by SIGINT and SIGTERM: the harness then ends soon and leaves nothing behind. */
  readonly signal: AbortSignal
  /** `--only`: of a harness whose parts have names, those that hold this text. */
  readonly only?: string | undefined
}

export interface Harness {
  /** What it does, in a sentence. */
  readonly about: string
  /** How many rounds `ci` and `all` run; 0: not among them. */
  readonly rounds: { readonly ci: number; readonly full: number }
  run(options: RunOptions): Promise<Outcome>
}
