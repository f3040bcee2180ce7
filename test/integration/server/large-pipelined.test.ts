import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { readStoredEntries } from '../../support/stored-format.js'

const ROUNDS = 60
const PIECE = 6000

/** Each byte says where it belongs: bytes that change places are seen. */
function patterned(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32BE((seed * 0x10000 + at) >>> 0, at)
  return bytes
}

it('takes large frames whole and in order where others between them make the connection wait', async () => {
  const broker = await startBroker({ fsync: 'always' })
  const peer = await broker.connect()
  expect(await peer.call(frames.createTopic('t', 1))).toEqual(frames.created(0))
  const values = Array.from({ length: ROUNDS }, (_, i) => patterned(40_000 + ((i * 7919) % 160_000), i))
  const requests = values.flatMap((value) => [frames.produce('t', 0, [{ value }]), frames.fetchOffset('g', 't', 0)])
  // In small pieces: many of them come while the connection waits for the disk.
  const stream = Buffer.concat(requests)
  for (let at = 0; at < stream.length; at += PIECE) {
    peer.send(stream.subarray(at, at + PIECE))
    await turn()
  }
  const answers = await peer.frames(2 * ROUNDS)
  for (let i = 0; i < ROUNDS; i++) {
    expect(answers[2 * i]).toEqual(frames.produced(0, 0, i, 1))
    expect(answers[2 * i + 1]).toEqual(frames.offsetFetched(0, -1))
  }
  for (let i = 0; i < ROUNDS; i++) {
    const { records } = frames.readFetched(await peer.call(frames.fetch('t', 0, i, 1)))
    expect(readStoredEntries(records)[0]?.value?.equals(values[i] as Buffer), `record ${i}`).toBe(true)
  }
})
