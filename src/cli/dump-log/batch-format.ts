import { BATCH_HEADER_BYTES } from '../../log/batch-headers.js'
import { CODECS } from '../../log/compression-codec.js'
import { BATCH_AT, codecOf, hasLogAppendTime, isControl, isTransactional } from '../../log/record-batch.js'
import { type DumpedEntry, type EntryFormat, int64, isWhole, readBytes } from './entry.js'
import { formatAsJson, formatAsText, stringify } from './entry-format.js'

const SEQUENCES = 2 ** 31
const HAS_DELETE_HORIZON = 0x40

/** Of a batch, in the words of Kafka's own kafka-dump-log. */
export const formatBatchAsText: EntryFormat = (entry, fd, file) => {
  if (!isWhole(entry)) return formatAsText(entry, fd, file)
  const fields = Object.entries(batchFields(entry, readBytes(fd, entry.position, BATCH_HEADER_BYTES)))
  return fields.map(([name, value]) => `${name}: ${value}`).join(' ')
}

export const formatBatchAsJson: EntryFormat = (entry, fd, file) => {
  if (!isWhole(entry)) return formatAsJson(entry, fd, file)
  return stringify({ file, ...batchFields(entry, readBytes(fd, entry.position, BATCH_HEADER_BYTES)) })
}

function batchFields({ position, length, verdict }: DumpedEntry, header: Buffer) {
  const attributes = header.readInt16BE(BATCH_AT.attributes)
  const batch = { attributes }
  const count = header.readInt32BE(BATCH_AT.count)
  const lastOffsetDelta = header.readInt32BE(BATCH_AT.lastOffsetDelta)
  const baseSequence = header.readInt32BE(BATCH_AT.baseSequence)
  const baseOffset = int64(header, BATCH_AT.baseOffset)
  const horizon = (attributes & HAS_DELETE_HORIZON) !== 0 ? int64(header, BATCH_AT.baseTimestamp) : 'none'
  return {
    baseOffset,
    lastOffset: lastOf(baseOffset, lastOffsetDelta),
    count,
    baseSequence,
    // As of when it was written: compaction takes records out, and leaves the rest as it is.
    lastSequence: baseSequence < 0 ? baseSequence : (baseSequence + lastOffsetDelta) % SEQUENCES,
    producerId: int64(header, BATCH_AT.producerId),
    producerEpoch: header.readInt16BE(BATCH_AT.producerEpoch),
    partitionLeaderEpoch: header.readInt32BE(BATCH_AT.leaderEpoch),
    isTransactional: isTransactional(batch),
    isControl: isControl(batch),
    deleteHorizonMs: horizon,
    position,
    [hasLogAppendTime(batch) ? 'LogAppendTime' : 'CreateTime']: int64(header, BATCH_AT.maxTimestamp),
    size: length,
    magic: header.readInt8(BATCH_AT.magic),
    compresscodec: CODECS[codecOf(batch)] ?? codecOf(batch),
    crc: header.readUInt32BE(BATCH_AT.crc),
    isvalid: verdict === 'right',
  }
}

function lastOf(baseOffset: number | bigint, delta: number): number | bigint {
  return typeof baseOffset === 'bigint' ? baseOffset + BigInt(delta) : baseOffset + delta
}
