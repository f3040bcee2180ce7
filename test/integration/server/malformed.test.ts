import { beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { testRandom } from '../../support/random.js'

const { ERROR } = frames
let broker: TestBroker
let peer: Peer

beforeEach(async () => {
  broker = await startBroker()
  peer = await broker.connect()
  await peer.call(frames.createTopic('topic', 1))
  await peer.call(frames.produce('topic', 0, [{ value: 'first' }]))
})

/** One request of each call, and the error code or status in its answer. */
const CALLS = {
  PRODUCE: frames.produce('topic', 0, [
    { key: 'key', value: 'value' },
    { key: null, value: null },
  ]),
  FETCH: frames.fetch('topic', 0, 0),
  CREATE_TOPIC: frames.createTopic('another', 1),
  COMMIT_OFFSET: frames.commitOffset('group', 'topic', 0, 1),
  FETCH_OFFSET: frames.fetchOffset('group', 'topic', 0),
  METADATA: frames.metadata('topic'),
  DESCRIBE_STORAGE: frames.describeStorage('topic'),
  AWAIT: frames.awaitRecords(10, [['topic', 0, 0]]),
}
const CODE_AT = 5
/** Where in its payload a call has the length of its first name. */
const nameAt = (name: string): number => (name === 'AWAIT' ? 9 : 1)

/** The same payload with another length prefix. */
function reframed(payload: Buffer): Buffer {
  return frames.frame(payload[0] as number, payload.subarray(1))
}

async function expectUnchanged(): Promise<void> {
  const other = await broker.connect()
  for (const each of [peer, other]) {
    expect(await each.call(frames.metadata(''))).toEqual(frames.described(0, { topic: [[0, 1]] }))
    expect(frames.readFetched(await each.call(frames.fetch('topic', 0, 0))).count).toBe(1)
  }
  expect(broker.logger.messages('error')).toEqual([])
}

describe.each(Object.entries(CALLS))('a %s', (name, request) => {
  const apiKey = request[4] as number
  const refusals = name === 'CREATE_TOPIC' ? [2] : [ERROR.invalidRequest, ERROR.invalidRecord]

  it('that is cut off at any byte is refused, and the connection goes on', async () => {
    const payload = request.subarray(4)
    for (let length = 1; length < payload.length; length++) {
      const answer = await peer.call(reframed(payload.subarray(0, length)))
      expect(answer[4], `${length} bytes`).toBe(apiKey)
      expect(refusals, `${length} bytes`).toContain(answer.readInt8(CODE_AT))
    }
    await expectUnchanged()
  })

  it('that goes on behind its last field is refused', async () => {
    for (const more of [1, 2, 8, 1000]) {
      const answer = await peer.call(reframed(Buffer.concat([request.subarray(4), Buffer.alloc(more)])))
      expect(answer[4]).toBe(apiKey)
      expect(refusals).toContain(answer.readInt8(CODE_AT))
    }
    await expectUnchanged()
  })

  it('with a length that is negative or larger than the frame is refused', async () => {
    const payload = request.subarray(4)
    for (const claimed of [-1, -2, -32768, payload.length, 32767]) {
      const lying = Buffer.from(payload)
      lying.writeInt16BE(claimed, nameAt(name))
      const answer = await peer.call(reframed(lying))
      expect(answer[4]).toBe(apiKey)
      expect(refusals, `${claimed}`).toContain(answer.readInt8(CODE_AT))
    }
    await expectUnchanged()
  })

  it('with a name that is no UTF-8 is refused', async () => {
    const payload = Buffer.from(request.subarray(4))
    payload[nameAt(name) + 3] = 0xff
    expect(refusals).toContain((await peer.call(reframed(payload))).readInt8(CODE_AT))
    await expectUnchanged()
  })
})

it('records with lengths that lie are INVALID_RECORD or too large, and none is stored', async () => {
  const payload = CALLS.PRODUCE.subarray(4)
  const [keyLengthAt, valueLengthAt] = [payload.length - 24, payload.length - 17]
  for (const at of [keyLengthAt, valueLengthAt, payload.length - 8, payload.length - 4]) {
    for (const claimed of [-2, -(2 ** 31), 2 ** 31 - 1, 2 ** 24 + 1, 4, 6, 1000]) {
      const lying = Buffer.from(payload)
      lying.writeInt32BE(claimed, at)
      const { errorCode } = frames.readProduced(await peer.call(reframed(lying)))
      expect([ERROR.invalidRecord, ERROR.messageTooLarge], `${claimed} at ${at}`).toContain(errorCode)
    }
  }
  await expectUnchanged()
})

it('random payloads of every call are answered, one for each', async () => {
  const random = testRandom()
  const count = 2000
  const sent = Array.from({ length: count }, () => {
    const apiKey = random.integer(0, 9)
    const base = Object.values(CALLS)[apiKey] ?? CALLS.FETCH
    if (random.next() < 0.3) return frames.frame(apiKey, random.bytes(random.integer(0, 200)))
    const payload = Buffer.from(base.subarray(4))
    payload[0] = apiKey
    for (let i = random.integer(1, 3); i > 0; i--)
      payload[random.integer(1, payload.length - 1)] = random.integer(0, 255)
    // No topic comes of it: the largest have 10000 partitions.
    if (apiKey === frames.CALL.createTopic) payload.fill(0, payload.length - 4)
    // None waits for long.
    if (apiKey === frames.CALL.await) payload.fill(0, 1, 4)
    return reframed(payload)
  })
  peer.send(Buffer.concat(sent))
  const answers = await peer.frames(count)
  expect(answers.map((answer) => answer[4])).toEqual(sent.map((request) => request[4]))
  const last = await peer.call(frames.metadata('topic'))
  expect(last.readInt8(CODE_AT)).toBe(0)
})
