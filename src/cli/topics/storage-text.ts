import type { LogStorage, SegmentStorage } from '../../log/log-storage.js'
import type { PartitionStorage, TopicStorage } from '../../wire/mykafka/describe-storage.js'

/** The description for people: a line for the topic, each partition and each segment. */
export function storageText({ topic, now, clockHeld, partitions }: TopicStorage): string {
  const clock = clockHeld ? `\tThe clock was set forward and is not believed yet: it counts as ${timeText(now)}\n` : ''
  return `Topic: ${topic}\tPartitionCount: ${partitions.length}\n${clock}${partitions.map(partitionText).join('')}`
}

function partitionText(described: PartitionStorage): string {
  if (described.offline) return line(1, [['Partition', described.partition]], 'offline')
  const { partition, logStartOffset, highWatermark, logEndOffset, recoveryPoint, bytes, segments } = described
  const head = line(1, [
    ['Partition', partition],
    ['LogStartOffset', logStartOffset],
    ['HighWatermark', highWatermark],
    ['LogEndOffset', logEndOffset],
    ['RecoveryPoint', recoveryPoint],
    ['Segments', segments.length],
    ['Bytes', bytes],
  ])
  return head + removalText(described) + compactionText(described) + segments.map(segmentText).join('')
}

function removalText({ lastRemoval, deletedFiles }: LogStorage): string {
  let text = ''
  if (lastRemoval !== null) {
    const { at, segments, bytes, reason } = lastRemoval
    text += line(2, [
      ['LastRemoval', timeText(at)],
      ['Segments', segments],
      ['Bytes', bytes],
      ['Why', reason],
    ])
  }
  if (deletedFiles > 0) text += line(2, [['DeletedFiles', deletedFiles]], 'they wait for file.delete.delay.ms')
  return text
}

function compactionText({ compaction }: LogStorage): string {
  if (compaction === null) return ''
  const { firstDirtyOffset, endOffset, dirtyRatio, running, last, failure } = compaction
  const state: [string, string | number][] = [
    ['FirstDirtyOffset', firstDirtyOffset],
    ['CleanableTo', endOffset],
    ['DirtyRatio', dirtyRatio.toFixed(2)],
  ]
  if (failure !== null) state.push(['Failure', failure])
  let text = line(2, state, running ? 'a compaction is under way' : undefined)
  if (last !== null) {
    text += line(2, [
      ['LastCompaction', timeText(last.at)],
      ['EndOffset', last.endOffset],
      ['Bytes', `${last.bytesBefore} to ${last.bytesAfter}`],
      ['RecordsDropped', last.recordsDropped],
      ['TombstonesKept', last.tombstonesKept],
      ['Milliseconds', Math.round(last.durationMs)],
    ])
  }
  return text
}

function segmentText({ baseOffset, nextOffset, bytes, largestTimestamp, active, ...rest }: SegmentStorage): string {
  const fields: [string, string | number][] = [
    ['BaseOffset', baseOffset],
    ['NextOffset', nextOffset],
    ['Bytes', bytes],
    ['LargestTimestamp', timeText(largestTimestamp)],
    ['State', active ? 'active' : 'sealed'],
  ]
  if (rest.compactedAt !== null) fields.push(['CompactedAt', timeText(rest.compactedAt)])
  if (rest.damagedBytes > 0) fields.push(['DamagedBytes', rest.damagedBytes])
  return line(2, [...fields, ['Why', rest.reason]])
}

function line(depth: number, fields: readonly (readonly [string, string | number])[], end?: string): string {
  const texts = fields.map(([name, value]) => `${name}: ${value}`)
  return `${'\t'.repeat(depth)}${[...texts, ...(end === undefined ? [] : [end])].join('\t')}\n`
}

/** Not every timestamp of a client is a date that JavaScript knows. */
function timeText(timestamp: number | null): string {
  if (timestamp === null) return 'none'
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? String(timestamp) : `${date.toISOString()} (${timestamp})`
}
