import { METADATA_TOPIC, OFFSETS_TOPIC } from './topic.js'
import type { TopicConfig } from './topic-configs.js'

const OFFSETS_SEGMENT_BYTES = 104_857_600
/** Its records are few and small, and all that is in its active segment is read at every start. */
const METADATA_SEGMENT_BYTES = 1 << 20

/**
 * The configurations of the broker's own topics: they are compacted, so that a start does not take longer the longer
 * they have been written to.
 *
 * @param offsetsSegmentBytes - `offsets.topic.segment.bytes`
 */
export function internalTopicConfig(
  name: string,
  offsetsSegmentBytes: number = OFFSETS_SEGMENT_BYTES,
): TopicConfig | undefined {
  if (name === OFFSETS_TOPIC) return compacted(offsetsSegmentBytes)
  return name === METADATA_TOPIC ? compacted(METADATA_SEGMENT_BYTES) : undefined
}

function compacted(segmentBytes: number): TopicConfig {
  return { 'cleanup.policy': 'compact', 'segment.bytes': String(segmentBytes) }
}
