import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { native } from '../../../src/native/load.js'
import type { NativeSocketSender, SendOutcome, SendPart } from '../../../src/native/native.js'
import { type ConnectedSockets, connectedSockets, readBytes } from '../../support/connected-sockets.js'
import { FilledSegment } from '../../support/filled-segment.js'

const LARGE = 24 << 20

describe.runIf(process.platform === 'linux')('the native socket sender', () => {
  let sockets: ConnectedSockets
  let sender: NativeSocketSender

  beforeEach(async () => {
    sockets = await connectedSockets()
    sender = native.createSocketSender(descriptor(), 30_000)
  })

  const descriptor = () => (sockets.server as unknown as { _handle: { fd: number } })._handle.fd
  /** The end of a send that is under way. */
  const end = (parts: SendPart[]) =>
    new Promise<{ outcome: SendOutcome; error: Error | null }>((resolve, reject) => {
      const atOnce = sender.send(parts, (outcome, error) => resolve({ outcome, error }))
      if (atOnce) reject(new Error('it ended at once'))
    })

  it('ends a small send at once, without a call', async () => {
    let called = false
    const done = () => {
      called = true
    }
    expect(sender.send([Buffer.from('a'), new Uint8Array([98])], done)).toBe(true)
    expect((await readBytes(sockets.client, 2)).toString()).toBe('ab')
    await turn()
    expect(called).toBe(false)
    expect(sender.pendingBytes()).toBe(0)
  })

  it('tells the end of a large send once the socket has all of it', async () => {
    const file = await FilledSegment.make(1)
    const ended = end([Buffer.alloc(LARGE, 1), { segment: file.segment, position: 10, length: 1 << 20 }])
    expect(sender.pendingBytes()).toBeGreaterThan(0)
    const received = await readBytes(sockets.client, LARGE + (1 << 20))
    expect(await ended).toEqual({ outcome: 'sent', error: null })
    expect(received.subarray(LARGE).equals(file.bytes.subarray(10, 10 + (1 << 20)))).toBe(true)
  })

  it('takes one send at a time', async () => {
    const ended = end([Buffer.alloc(LARGE)])
    expect(() => sender.send([Buffer.from('x')], () => {})).toThrow('under way')
    sender.close()
    await ended
  })

  it('keeps the buffers and itself while a send is under way', async () => {
    const ended = (() => native.createSocketSender(descriptor(), 30_000))()
    const result = new Promise((resolve) => {
      ended.send([Buffer.alloc(LARGE, 1), Buffer.alloc(LARGE, 2)], (outcome) => resolve(outcome))
    })
    // Garbage enough to collect and overwrite what nobody holds.
    for (let i = 0; i < 50; i++) Buffer.alloc(4 << 20, 3)
    const received = await readBytes(sockets.client, 2 * LARGE)
    expect(await result).toBe('sent')
    expect(received.equals(Buffer.concat([Buffer.alloc(LARGE, 1), Buffer.alloc(LARGE, 2)]))).toBe(true)
  })

  it('cancels what is under way when it is closed', async () => {
    const ended = end([Buffer.alloc(LARGE)])
    sender.close()
    sender.close()
    expect((await ended).outcome).toBe('cancelled')
    expect((await end([Buffer.from('x')])).outcome).toBe('cancelled')
  })

  it('tells a reset, by the system’s name', async () => {
    const ended = end([Buffer.alloc(LARGE)])
    sockets.client.resetAndDestroy()
    const { outcome, error } = await ended
    expect(outcome).toBe('reset')
    expect((error as NodeJS.ErrnoException).errno).toMatch(/EPIPE|ECONNRESET/)
  })

  it('fails later, not by throwing, where a segment’s file cannot be had', async () => {
    const { segment } = await FilledSegment.make(1)
    segment.close()
    const { outcome, error } = await end([{ segment, position: 0, length: 10 }])
    expect(outcome).toBe('failed')
    expect(error).toMatchObject({ code: 'LOG_CLOSED' })
  })

  it('checks its arguments', async () => {
    const file = await FilledSegment.make(1)
    const send = sender.send as (...args: unknown[]) => boolean
    const done = () => {}
    const wrong: unknown[][] = [
      [],
      [Buffer.from('x'), done],
      [[Buffer.from('x')]],
      [['x'], done],
      [[null], done],
      [[{}], done],
      [[{ segment: {}, position: 0, length: 1 }], done],
      [[{ segment: file.segment, position: '0', length: 1 }], done],
      [[new Float64Array(1)], done],
    ]
    for (const args of wrong) expect(() => send.apply(sender, args)).toThrow(TypeError)
    for (const part of [
      { position: -1, length: 1 },
      { position: 0, length: 0.5 },
      { position: 2 ** 60, length: 1 },
    ]) {
      expect(() => send.call(sender, [{ segment: file.segment, ...part }], done)).toThrow(RangeError)
    }
    expect(() => send.call({}, [], done)).toThrow(TypeError)
    const create = native.createSocketSender as (...args: unknown[]) => NativeSocketSender
    expect(() => create()).toThrow(TypeError)
    expect(() => create(-1, 1)).toThrow(RangeError)
    expect(() => create(descriptor(), 0)).toThrow(RangeError)
    expect(() => create(descriptor(), Number.NaN)).toThrow(RangeError)
    expect(() => new (sender.constructor as new () => unknown)()).toThrow(TypeError)
  })

  it('refuses a descriptor that is no non-blocking stream socket', () => {
    const file = openSync('/dev/null', 'r')
    expect(() => native.createSocketSender(file, 1000)).toThrow(/ENOTSOCK|non-socket/)
    closeSync(file)
    expect(() => native.createSocketSender(1_000_000, 1000)).toThrow(/EBADF|Bad file/)
  })

  it('sends to a connection that the host closes behind it', async () => {
    sender.send([Buffer.from('last')], () => {})
    sender.close()
    sockets.server.end()
    expect((await readBytes(sockets.client)).toString()).toBe('last')
    sockets.client.end()
    sockets.server.resume()
    if (!sockets.server.closed) await once(sockets.server, 'close')
  })
})
