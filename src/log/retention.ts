/** What retention goes by: configurations of a topic. */
export interface RetentionRules {
  /** `cleanup.policy` has delete: age and size count. What lies below the log start offset goes in any case. */
  readonly deletes: boolean
  /** `retention.ms`: -1 for ever. */
  readonly retentionMs: number
  /** `retention.bytes`: -1 for no limit. */
  readonly retentionBytes: number
}

/** A segment as retention sees it. */
export interface SegmentFacts {
  readonly baseOffset: number
  /** Where the segment behind it begins; of the last one, the log end offset. */
  readonly nextOffset: number
  readonly bytes: number
  /**
   * The largest of its records, in milliseconds since 1970; where they bear none, of its file's last change. Null: not
   * known yet.
   */
  readonly largestTimestamp: number | null
  /** What is appended goes there. */
  readonly active: boolean
}

/** A log as retention sees it. */
export interface RetentionView {
  readonly rules: RetentionRules
  readonly logStartOffset: number
  readonly highWatermark: number
  /** Of all segments. */
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Why a segment goes. */
export type RemovalReason =
  | { readonly by: 'log-start'; readonly logStartOffset: number }
  | { readonly by: 'empty' }
  | { readonly by: 'size'; readonly retentionBytes: number; readonly logBytes: number }
  | { readonly by: 'time'; readonly retentionMs: number; readonly largestTimestamp: number }

/**
 * Decides which segments go: whole ones from the front of the log, asked one after another. The rules are Kafka's. By
 * time, a segment goes when its newest record is too old; one from the future holds its segment until its time is over.
 * By size, the oldest goes while the log is no smaller than it may be without it.
 */
export class RetentionPass {
  readonly #view: RetentionView
  #bytes: number

  constructor(view: RetentionView) {
    this.#view = view
    this.#bytes = view.bytes
  }

  /** Why the segment goes; null where it stays, and with it all behind it. */
  next(segment: SegmentFacts): RemovalReason | null {
    const reason = this.#reason(segment)
    if (reason !== null) this.#bytes -= segment.bytes
    return reason
  }

  #reason(segment: SegmentFacts): RemovalReason | null {
    const { rules, logStartOffset, highWatermark, now } = this.#view
    const { largestTimestamp } = segment
    if (isBelow(segment, logStartOffset)) return { by: 'log-start', logStartOffset }
    if (!rules.deletes || segment.nextOffset > highWatermark) return null
    // What compaction has emptied has no age, and must not hold what is behind it.
    if (segment.bytes === 0) return segment.active ? null : { by: 'empty' }
    const { retentionBytes, retentionMs } = rules
    if (retentionBytes >= 0 && this.#bytes - segment.bytes >= retentionBytes) {
      return { by: 'size', retentionBytes, logBytes: this.#bytes }
    }
    if (retentionMs < 0 || largestTimestamp === null || now - largestTimestamp <= retentionMs) return null
    return { by: 'time', retentionMs, largestTimestamp }
  }
}

/** Whether the rules ask how old the segment is. */
export function needsTimestamp(segment: Omit<SegmentFacts, 'largestTimestamp'>, view: RetentionView): boolean {
  const { deletes, retentionMs } = view.rules
  if (!deletes || retentionMs < 0 || isBelow(segment, view.logStartOffset)) return false
  return segment.bytes > 0
}

/** Whether all that the segment holds is deleted. The active one stays: the log goes on in it. */
function isBelow({ active, nextOffset }: Omit<SegmentFacts, 'largestTimestamp'>, logStartOffset: number): boolean {
  return !active && nextOffset <= logStartOffset
}
