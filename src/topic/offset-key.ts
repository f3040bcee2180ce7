/** A committed offset's place: the key of a record in `__consumer_offsets` (docs/disk-format.md). */
export interface OffsetKey {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

/** `[groupLen:2][group][topicLen:2][topic][partition:4]` */
export function encodeOffsetKey({ group, topic, partition }: OffsetKey): Buffer {
  const groupLength = Buffer.byteLength(group)
  const topicLength = Buffer.byteLength(topic)
  const key = Buffer.allocUnsafe(groupLength + topicLength + 8)
  let at = key.writeInt16BE(groupLength, 0)
  at += key.write(group, at)
  at = key.writeInt16BE(topicLength, at)
  at += key.write(topic, at)
  key.writeInt32BE(partition, at)
  return key
}

/** Null for a key of another kind (it begins with a negative int16), and for one that does not parse. */
export function decodeOffsetKey(key: Buffer): OffsetKey | null {
  if (key.length < 8) return null
  const groupLength = key.readInt16BE(0)
  const topicAt = 2 + groupLength
  if (groupLength < 0 || topicAt + 6 > key.length) return null
  const topicLength = key.readInt16BE(topicAt)
  const partitionAt = topicAt + 2 + topicLength
  if (topicLength < 0 || partitionAt + 4 !== key.length) return null
  return {
    group: key.toString('utf8', 2, topicAt),
    topic: key.toString('utf8', topicAt + 2, partitionAt),
    partition: key.readInt32BE(partitionAt),
  }
}

/** `[offset:8]`; more may follow (leader epoch, metadata). */
export function encodeOffsetValue(offset: number): Buffer {
  const value = Buffer.allocUnsafe(8)
  value.writeBigInt64BE(BigInt(offset))
  return value
}

/** Null where no offset can be read from the value. */
export function decodeOffsetValue(value: Buffer): number | null {
  if (value.length < 8) return null
  const offset = Number(value.readBigInt64BE(0))
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : null
}
