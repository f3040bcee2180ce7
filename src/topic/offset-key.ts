/**
 * Keys of `__consumer_offsets` (docs/disk-format.md). A committed offset's begins with the length of its group's name;
 * one that begins with a negative number is of another kind.
 *
 * @module
 */

/** A committed offset's place. */
export interface OffsetKey {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

/** Begins the key of the record that says what a group is. */
const GROUP_KIND = -1

const NAME_AT = 4

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

/** Null for a key of another kind, and for one that does not parse. */
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

/** `[-1:2][groupLen:2][group]`: what a group is. */
export function encodeGroupKey(group: string): Buffer {
  const length = Buffer.byteLength(group)
  const key = Buffer.allocUnsafe(NAME_AT + length)
  key.writeInt16BE(GROUP_KIND, 0)
  key.writeInt16BE(length, 2)
  key.write(group, NAME_AT)
  return key
}

/** The group's name; null for keys of other kinds. */
export function decodeGroupKey(key: Buffer): string | null {
  if (key.length < NAME_AT || key.readInt16BE(0) !== GROUP_KIND) return null
  if (key.readInt16BE(2) !== key.length - NAME_AT) return null
  return key.toString('utf8', NAME_AT)
}
