import type { LogManager } from '../../../topic/log-manager.js'
import { type AwaitedPartition, decodeRequest, encodeResponse } from '../../../wire/mykafka/await.js'
import type { RequestPeer } from '../../request-router.js'
import type { ResponsePart } from '../../response-part.js'
import type { Handler } from '../mykafka-handler.js'

/** However long a peer asks for: one that goes while other requests of its own are behind this is not seen to go. */
const LONGEST_WAIT_MS = 300_000

/** What ends the wait of each peer. One AWAIT of a connection waits at a time: so what they hold here is bounded. */
const waiting = new WeakMap<RequestPeer, () => void>()

/**
 * AWAIT: which of the partitions a FETCH has something to tell of, as soon as there is one. The next AWAIT of the
 * connection, the connection's end and the broker's stop end the wait: then none may be told.
 */
export const handleAwait: Handler = (frame, { logs }, peer) => {
  waiting.get(peer)?.()
  const { maxWaitMs, partitions } = decodeRequest(frame)
  const ready = readyOf(partitions, logs)
  const answersAtOnce = ready.length > 0 || partitions.length === 0 || maxWaitMs === 0 || peer.signal.aborted
  return answersAtOnce ? [encodeResponse(0, ready)] : waitForOne(partitions, maxWaitMs, logs, peer)
}

async function waitForOne(
  partitions: readonly AwaitedPartition[],
  maxWaitMs: number,
  logs: LogManager,
  peer: RequestPeer,
): Promise<ResponsePart[]> {
  await new Promise<void>((resolve) => {
    const subscriptions: (() => void)[] = []
    const done = (): void => {
      clearTimeout(timer)
      peer.signal.removeEventListener('abort', done)
      for (const unsubscribe of subscriptions) unsubscribe()
      waiting.delete(peer)
      resolve()
    }
    const timer = setTimeout(done, Math.min(maxWaitMs, LONGEST_WAIT_MS))
    peer.signal.addEventListener('abort', done)
    waiting.set(peer, done)
    // Nothing was appended since they were looked at: that was in this turn of the event loop.
    for (const { topic, partition } of partitions) subscriptions.push(logs.partition(topic, partition).onGrowth(done))
  })
  // What else is appended in this turn is told too.
  await new Promise(setImmediate)
  return [encodeResponse(0, readyOf(partitions, logs))]
}

/** Where in the list those are that have something at or behind their offset, or an error that a FETCH tells. */
function readyOf(partitions: readonly AwaitedPartition[], logs: LogManager): number[] {
  const ready: number[] = []
  for (let index = 0; index < partitions.length; index++) {
    const { topic, partition, offset } = partitions[index] as AwaitedPartition
    const log = logs.topic(topic)?.partitions[partition]
    const waits = log != null && !log.closed && offset >= log.highWatermark && offset <= log.logEndOffset
    if (!waits) ready.push(index)
  }
  return ready
}
