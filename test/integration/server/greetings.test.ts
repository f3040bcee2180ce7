import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { Peer } from '../../support/peer.js'

let broker: TestBroker

beforeEach(async () => {
  broker = await startBroker()
})

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** What a client of another protocol says first, and what the broker's log says of it. */
const GREETINGS: Record<string, [bytes: Buffer, reason: RegExp]> = {
  'a TLS client': [
    hex('16 03 01 02 00 01 00 01 fc 03 03 5f 5f 5f 5f 5f 5f 5f 5f'),
    /^closing a connection: this looks like TLS, not like a frame: the connection is plain TCP$/,
  ],
  'a TLS alert': [hex('15 03 03 00 02 02 28'), /looks like TLS/],
  'a browser': [Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), /looks like HTTP \("GET"\)/],
  'an HTTP POST': [Buffer.from('POST /topics HTTP/1.1\r\n\r\n'), /looks like HTTP \("POST"\)/],
  'an HTTP/2 client': [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), /looks like HTTP/],
  'an SSH client': [Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), /looks like SSH/],
  'a negative length': [hex('ffffffff 00 0000'), /cannot have the length -1$/],
  'a length of 0': [hex('00000000 00000000'), /cannot have the length 0$/],
  'a frame above the limit': [hex('06400001 01 0000'), /a frame of 104857601 bytes is larger than the 104857600/],
  'a call that nobody knows': [hex('00000008 08 0001 74 00000000'), /neither wire/],
  'a frame too short for either wire': [hex('00000002 01 00'), /neither wire/],
}

describe.each(Object.entries(GREETINGS))('%s', (_, [bytes, reason]) => {
  it('is told for what it is, and closed', async () => {
    const peer = await broker.connect()
    peer.send(bytes)
    await peer.closed
    expect(broker.logger.messages('warn')).toEqual([expect.stringMatching(reason)])
    expect(broker.logger.lines.find(({ level }) => level === 'warn')?.fields.peer).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(peer.unread).toBe(0)
  })

  it('is the same in pieces', async () => {
    const peer = await broker.connect()
    for (const byte of bytes.subarray(0, 7)) {
      peer.send(Buffer.from([byte]))
      await delay(1)
    }
    await peer.closed
    expect(broker.logger.messages('warn')).toEqual([expect.stringMatching(reason)])
  })
})

it('a larger limit holds for the first frame too', async () => {
  const large = await startBroker({ maxFrameBytes: 300 << 20 })
  const peer = await large.connect()
  peer.send(int32(200 << 20), hex('00 0001 74'))
  // It waits for the rest.
  await delay(50)
  expect(large.logger.messages('warn')).toEqual([])
  expect(large.broker.connectionCount).toBe(1)
})

it('leaves other connections alone', async () => {
  const good = await broker.connect()
  await good.call(frames.createTopic('t', 1))
  for (const [bytes] of Object.values(GREETINGS)) {
    const bad = await Peer.connect(broker.port)
    bad.send(bytes)
    expect(await good.call(frames.metadata(''))).toEqual(frames.described(0, { t: [[0, 0]] }))
    await bad.closed
  }
})

it('a client may send nothing, or the beginning of a frame, and go', async () => {
  const beginnings = [Buffer.alloc(0), hex('00'), hex('000000'), hex('00000019 02'), hex('00000019 020001 74')]
  for (const bytes of beginnings) {
    const peer = await broker.connect()
    peer.send(bytes)
    await delay(2)
    peer.socket.end()
    await peer.closed
  }
  await expect.poll(() => broker.broker.connectionCount).toBe(0)
  expect(broker.logger.messages('warn')).toEqual([])
})
