/** A consumer that names more is not looked at. */
const MOST_TOPICS = 50_000

/**
 * The topics that a consumer says it subscribes to: `[version:2][topicCount:4]` and `[topicLen:2][topic]` each begin
 * every version of a consumer's metadata. Null where the bytes are something else.
 */
export function subscribedTopics(metadata: Buffer): string[] | null {
  if (metadata.length < 6) return null
  const topics: string[] = []
  let at = 6
  const count = metadata.readInt32BE(2)
  if (count > MOST_TOPICS) return null
  for (let left = count; left > 0; left--) {
    if (at + 2 > metadata.length) return null
    const end = at + 2 + metadata.readInt16BE(at)
    if (end < at + 2 || end > metadata.length) return null
    topics.push(metadata.toString('utf8', at + 2, end))
    at = end
  }
  return topics
}
