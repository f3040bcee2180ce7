/** One question, answered by measuring. */
export interface Benchmark {
  readonly question: string
  /** With `quick` it only shows that it works: its figures mean little. */
  run(options: { readonly quick: boolean }): Promise<Report>
}

/** What a benchmark found out. */
export interface Report {
  /** Sizes, rounds and whatever else the figures depend on. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly tables: readonly Table[]
  readonly aims: readonly Aim[]
}

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** What was to be reached, and what was. */
export interface Aim {
  readonly aim: string
  readonly measured: string
  readonly met: boolean
}
