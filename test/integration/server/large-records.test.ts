import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readStoredEntries } from '../../support/stored-format.js'

const MEBIBYTE = 1 << 20
/** socket.request.max.bytes */
const FRAME_LIMIT = 104_857_600
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

async function brokerWithTopic(options = {}): Promise<{ broker: TestBroker; peer: Peer }> {
  const broker = await startBroker(options)
  const peer = await broker.connect()
  expect(await peer.call(frames.createTopic('t', 1))).toEqual(frames.created(0))
  return { broker, peer }
}

async function hashesOf(peer: Peer, request: Buffer): Promise<string[]> {
  const { errorCode, records } = frames.readFetched(await peer.call(request))
  expect(errorCode).toBe(0)
  return readStoredEntries(records).map(({ value }) => sha256(value as Buffer))
}

it('takes a record of 64 MiB in and gives it out, also where maxBytes is 1', async () => {
  const { peer } = await brokerWithTopic({ segmentBytes: MEBIBYTE })
  const value = randomBytes(64 * MEBIBYTE)
  const hash = sha256(value)
  const records = [{ value: 'before' }, { key: 'large', value }, { value: 'behind' }]
  for (const [i, record] of records.entries()) {
    expect(await peer.call(frames.produce('t', 0, [record]))).toEqual(frames.produced(0, 0, i, 1))
  }
  expect(await hashesOf(peer, frames.fetch('t', 0, 1, 1))).toEqual([hash])
  expect(await hashesOf(peer, frames.fetch('t', 0, 0, FRAME_LIMIT))).toEqual([
    sha256(Buffer.from('before')),
    hash,
    sha256(Buffer.from('behind')),
  ])
  // Where the large record does not fit behind the first, it is left to the next FETCH.
  expect(await hashesOf(peer, frames.fetch('t', 0, 0, 64 * MEBIBYTE))).toEqual([sha256(Buffer.from('before'))])
})

it('takes a record that just fits a response frame, and refuses one a byte longer', async () => {
  const maxFrameBytes = 2 * MEBIBYTE
  const { peer } = await brokerWithTopic({ maxFrameBytes })
  // [apiKey:1][errCode:1][recordCount:4], then an entry of 28 bytes and the value.
  const largest = maxFrameBytes - 6 - 28
  const bytes = Buffer.alloc(largest + 1, 'x')
  expect(await peer.call(frames.produce('t', 0, [{ value: bytes }]))).toEqual(
    frames.produced(frames.ERROR.messageTooLarge, 0, -1, 0),
  )
  expect(await peer.call(frames.produce('t', 0, [{ value: bytes.subarray(1) }]))).toEqual(frames.produced(0, 0, 0, 1))
  const response = await peer.call(frames.fetch('t', 0, 0, 1))
  expect(response.length).toBe(4 + maxFrameBytes)
  expect(frames.readFetched(response)).toMatchObject({ errorCode: 0, count: 1 })
  expect(response.subarray(-4 - largest, -4).equals(bytes.subarray(1))).toBe(true)
})

it('closes a connection that announces a frame above the limit, whatever it has sent before', async () => {
  const { broker, peer } = await brokerWithTopic({ maxFrameBytes: 2000 })
  const other = await broker.connect()
  const most = frames.produce('t', 0, [{ value: Buffer.alloc(2000 - 6 - 28) }])
  expect(most.length).toBeLessThan(4 + 2000)
  expect(await peer.call(most)).toEqual(frames.produced(0, 0, 0, 1))
  expect(frames.readFetched(await peer.call(frames.fetch('t', 0, 0))).count).toBe(1)

  peer.send(Buffer.from([0, 0, 7, 0xd1]))
  await peer.closed
  expect(broker.logger.messages('warn')).toEqual([
    'closing a connection: a frame of 2001 bytes is larger than the 2000 allowed',
  ])
  expect(await other.call(frames.metadata(''))).toEqual(frames.described(0, { t: [[0, 1]] }))
})

it('never answers more than a frame may hold', async () => {
  const { peer } = await brokerWithTopic({ maxFrameBytes: 10_000 })
  const records = Array.from({ length: 90 }, () => ({ value: Buffer.alloc(72) }))
  await peer.call(frames.produce('t', 0, records))
  await peer.call(frames.produce('t', 0, records))
  const response = await peer.call(frames.fetch('t', 0, 0, 2 ** 31 - 1))
  // 99 entries of 100 bytes fit in 10000 - 6.
  expect(response.length).toBe(4 + 6 + 9900)
  expect(frames.readFetched(response).count).toBe(99)
})

it('refuses a key above 16 MiB and takes one of 16 MiB', async () => {
  const { peer } = await brokerWithTopic()
  const key = Buffer.alloc(16 * MEBIBYTE + 1, 'k')
  expect(await peer.call(frames.produce('t', 0, [{ key, value: 'v' }]))).toEqual(
    frames.produced(frames.ERROR.messageTooLarge, 0, -1, 0),
  )
  expect(await peer.call(frames.produce('t', 0, [{ key: key.subarray(1), value: 'v' }]))).toEqual(
    frames.produced(0, 0, 0, 1),
  )
  const { records } = frames.readFetched(await peer.call(frames.fetch('t', 0, 0, 1)))
  expect(readStoredEntries(records)[0]?.key?.equals(key.subarray(1))).toBe(true)
})
