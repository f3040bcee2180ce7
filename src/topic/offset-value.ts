import { readInt64, writeInt64 } from '../integers.js'

/** What a group committed for a partition. */
export interface CommittedOffset {
  /** The next record's that the group is to read. Kafka's clients may commit negative ones: "none". */
  readonly offset: number
  /** Of the record read last; -1 where the client did not say. */
  readonly leaderEpoch: number
  /** The client's own words. */
  readonly metadata: string
  /** When it was committed, in milliseconds since 1970. */
  readonly timestamp: number
}

export const NO_LEADER_EPOCH = -1

/** So many bytes of metadata can be stored. */
export const MAX_STORED_METADATA_BYTES = 0xffff

const OFFSET_BYTES = 8
const METADATA_AT = 14

/** `[offset:8]`; where there is more to say, `[leaderEpoch:4][metadataLen:2][metadata]` follows. */
export function encodeOffsetValue({ offset, leaderEpoch, metadata }: Omit<CommittedOffset, 'timestamp'>): Buffer {
  const brief = leaderEpoch === NO_LEADER_EPOCH && metadata === ''
  const metadataLength = Buffer.byteLength(metadata)
  const value = Buffer.allocUnsafe(brief ? OFFSET_BYTES : METADATA_AT + metadataLength)
  writeInt64(value, offset, 0)
  if (brief) return value
  value.writeInt32BE(leaderEpoch, OFFSET_BYTES)
  value.writeUInt16BE(metadataLength, OFFSET_BYTES + 4)
  value.write(metadata, METADATA_AT)
  return value
}

/** Null for a value that cannot be read. */
export function decodeOffsetValue(value: Buffer, timestamp: number): CommittedOffset | null {
  if (value.length < OFFSET_BYTES) return null
  const offset = readInt64(value, 0)
  if (!Number.isSafeInteger(offset)) return null
  if (value.length === OFFSET_BYTES) return { offset, leaderEpoch: NO_LEADER_EPOCH, metadata: '', timestamp }
  if (value.length < METADATA_AT) return null
  const leaderEpoch = value.readInt32BE(OFFSET_BYTES)
  const metadataEnd = METADATA_AT + value.readUInt16BE(OFFSET_BYTES + 4)
  if (metadataEnd > value.length) return null
  return { offset, leaderEpoch, metadata: value.toString('utf8', METADATA_AT, metadataEnd), timestamp }
}
