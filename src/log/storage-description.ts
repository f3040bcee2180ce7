import type { NativeSegment } from '../native/native.js'
import type { LogStorage, SegmentStorage } from './log-storage.js'

/** What a description needs of a log. */
export interface DescribedLog {
  readonly logStartOffset: number
  readonly highWatermark: number
  readonly logEndOffset: number
  readonly recoveryPoint: number
}

/** Describes a log by what is known of it: nothing is read for it. */
export function describeStorage(log: DescribedLog, segments: readonly NativeSegment[]): LogStorage {
  const { logStartOffset, highWatermark, logEndOffset, recoveryPoint } = log
  const described = segments.map((segment, index) => describeSegment(segment, index === segments.length - 1))
  const bytes = described.reduce((sum, segment) => sum + segment.bytes, 0)
  return { logStartOffset, highWatermark, logEndOffset, recoveryPoint, bytes, segments: described }
}

function describeSegment(segment: NativeSegment, active: boolean): SegmentStorage {
  const largest = segment.largestTimestamp()
  return {
    baseOffset: segment.baseOffset,
    nextOffset: segment.nextOffset(),
    bytes: segment.size(),
    largestTimestamp: segment.timestampsKnown() && largest >= 0 ? largest : null,
    active,
    damagedBytes: segment.damages().reduce((sum, { length }) => sum + length, 0),
    reason: active ? 'records are appended to it' : 'nothing has asked for its removal',
  }
}
