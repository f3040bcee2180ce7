/** What is wrong with a file. */
export interface Finding {
  readonly file: string
  readonly kind:
    | 'crc'
    | 'torn'
    | 'no entry'
    | 'offset'
    | 'gap'
    | 'index'
    | 'timeindex'
    | 'segments'
    | 'snapshot'
    | 'compacted'
    | 'checkpoint'
    | 'metadata'
    | 'unreadable'
  /** In a line, without the file. */
  readonly what: string
  /** Of damaged bytes in a log. */
  readonly position?: number
  readonly length?: number
  /** The offsets `[firstOffset, nextOffset)` are lost. */
  readonly firstOffset?: number
  readonly nextOffset?: number
}

/** A file that the system does not let us read. */
export function unreadable(file: string, error: unknown): Finding {
  return { file, kind: 'unreadable', what: error instanceof Error ? error.message : String(error) }
}

/** For people: the offsets `[first, next)`. */
export function offsetsText(first: number, next: number): string {
  return next - first === 1 ? `offset ${first}` : `offsets ${first} to ${next - 1}`
}
