import * as frames from './frames.js'
import type { Peer } from './peer.js'

/** All that a partition holds from an offset on, as it is stored: FETCHes one after another up to the log's end. */
export async function readLog(peer: Peer, topic: string, partition: number, from = 0): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let offset = from; ; ) {
    const { errorCode, count, records } = frames.readFetched(await peer.call(frames.fetch(topic, partition, offset)))
    if (errorCode !== 0) throw new Error(`FETCH of ${topic}/${partition} at ${offset}: error ${errorCode}`)
    if (count === 0) return Buffer.concat(parts)
    parts.push(records)
    offset += count
  }
}
