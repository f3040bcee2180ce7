import { afterEach, expect, it, vi } from 'vitest'
import { startBroker } from '../support/broker.js'
import * as frames from '../support/frames.js'

afterEach(() => void vi.restoreAllMocks())

const MEBIBYTE = 1 << 20

const SETTINGS = { 'socket.request.max.bytes': 4 * MEBIBYTE, 'queued.max.request.bytes': 4 * MEBIBYTE }

/** The beginning of a PRODUCE that announces so much. */
function half(bytes: number, announced = 4 * MEBIBYTE): Buffer {
  const part = Buffer.alloc(bytes)
  part.write('00000000000001740000000000000001', 'hex')
  part.writeInt32BE(announced)
  return part
}

it('requests that are never ended keep no other out, small or large', async () => {
  const broker = await startBroker({ properties: SETTINGS })
  const good = await broker.connect()
  await good.call(frames.createTopic('t', 1))
  const strangers = await Promise.all(Array.from({ length: 8 }, () => broker.connect()))
  for (const stranger of strangers) stranger.send(half(MEBIBYTE))
  // Small ones and large ones, among them some above what is left.
  for (let i = 0; i < 20; i++) {
    expect(frames.readProduced(await good.call(frames.produce('t', 0, [{ value: 'small' }]))).errorCode).toBe(0)
  }
  const value = Buffer.alloc(3 * MEBIBYTE, 'x')
  for (let i = 0; i < 2; i++) {
    expect(frames.readProduced(await good.call(frames.produce('t', 0, [{ value }]))).errorCode).toBe(0)
  }
})

it('requests above the limit in all come in one after another', async () => {
  const broker = await startBroker({ properties: SETTINGS })
  const first = await broker.connect()
  await first.call(frames.createTopic('t', 1))
  const value = Buffer.alloc(2 * MEBIBYTE, 'x')
  const send = async (): Promise<number[]> => {
    const peer = await broker.connect()
    const codes: number[] = []
    for (let i = 0; i < 3; i++) {
      codes.push(frames.readProduced(await peer.call(frames.produce('t', 0, [{ value }]))).errorCode)
    }
    return codes
  }
  const codes = await Promise.all(Array.from({ length: 8 }, send))
  expect(codes.flat()).toEqual(Array(24).fill(0))
  expect(broker.logger.messages('warn')).toEqual([])
})

it('a length is only a claim: memory is taken for the bytes that came', async () => {
  const broker = await startBroker()
  const good = await broker.connect()
  await good.call(frames.createTopic('t', 1))
  const strangers = await Promise.all(Array.from({ length: 32 }, () => broker.connect()))
  const before = process.memoryUsage().arrayBuffers
  const sent = strangers.map(({ socket }) => new Promise((done) => socket.write(half(1000, 100 * MEBIBYTE), done)))
  await Promise.all(sent)
  // What lies in the broker's sockets it reads before the second answer at the latest.
  for (let i = 0; i < 2; i++) await good.call(frames.produce('t', 0, [{ value: 'small' }]))
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MEBIBYTE)
  for (const { socket } of strangers) expect(socket.destroyed).toBe(false)
})

it('a connection whose request finds no memory is closed, and the broker goes on', async () => {
  const broker = await startBroker()
  const good = await broker.connect()
  await good.call(frames.createTopic('t', 1))
  const allocate = Buffer.allocUnsafeSlow
  vi.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation((bytes) => {
    if (bytes > MEBIBYTE) throw new RangeError('Array buffer allocation failed')
    return allocate(bytes)
  })
  const large = await broker.connect()
  large.send(half(4 * MEBIBYTE, 100 * MEBIBYTE))
  await large.closed
  expect(frames.readProduced(await good.call(frames.produce('t', 0, [{ value: 'small' }]))).errorCode).toBe(0)
  expect(broker.logger.messages('warn')).toEqual(['closing a connection: Array buffer allocation failed'])
})
