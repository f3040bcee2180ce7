import { type Finding, offsetsText } from './finding.js'
import type { PlannedSegment } from './segment-plan.js'
import type { LogPoints } from './state.js'

/** What is missing before the first segment: nothing is, from the log start offset on. */
export function startFindings(directory: string, segments: readonly PlannedSegment[], points: LogPoints): Finding[] {
  const { logStartOffset, recoveryPoint } = points
  const next = segments[0]?.baseOffset ?? recoveryPoint
  return next > logStartOffset ? [missing(directory, logStartOffset, next, 'no segment holds them')] : []
}

/** What is found behind the last segment, and said of its damaged end. */
export interface LogEnd {
  readonly directory: string
  readonly segments: readonly PlannedSegment[]
  readonly points: LogPoints
  /** Behind the last entry. */
  readonly end: number
  /** Whether the last stop was clean. */
  readonly clean: boolean
}

/** Findings with what the recovery point says of the end: below it everything was on the disk. */
export function endFindings(findings: readonly Finding[], at: LogEnd): Finding[] {
  const { directory, segments, points, end, clean } = at
  const { recoveryPoint } = points
  const last = segments.at(-1)
  if (last === undefined) return [...findings]
  const isLast = ({ file, nextOffset }: Finding): boolean => file === last.logPath && nextOffset === end
  if (findings.some(isLast)) {
    return findings.map((finding) => (isLast(finding) ? explained(finding, end, recoveryPoint, clean) : finding))
  }
  // The end of a log that was compacted may be in no record any more.
  if (end >= recoveryPoint || last.compacted) return [...findings]
  return [...findings, missing(directory, end, recoveryPoint, 'they were on the disk once')]
}

function explained(finding: Finding, end: number, recoveryPoint: number, clean: boolean): Finding {
  if (end < recoveryPoint) {
    const what = `${finding.what}, ${offsetsText(end, recoveryPoint)} lost`
    return { ...finding, nextOffset: recoveryPoint, what }
  }
  if (clean) return finding
  return { ...finding, what: `${finding.what}: not known to have been on the disk, the next start cuts it off` }
}

function missing(directory: string, firstOffset: number, nextOffset: number, why: string): Finding {
  const what = `${offsetsText(firstOffset, nextOffset)} missing: ${why}`
  return { file: directory, kind: 'segments', what, firstOffset, nextOffset }
}
