import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { FrameDecoder } from '../../../src/wire/frame-decoder.js'
import { readVectors } from '../../support/vectors.js'

const SLAB = 64 * 1024
const MIB = 1 << 20

const vectors = readVectors<{ name: string; bytes: string }[]>('frames.json').map(({ bytes }) =>
  Buffer.from(bytes, 'hex'),
)
const payloads = vectors.map((bytes) => bytes.subarray(4))

function pull(decoder: FrameDecoder): Buffer[] {
  const frames: Buffer[] = []
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) frames.push(frame)
  return frames
}

function prefixed(length: number): Buffer {
  const prefix = Buffer.alloc(4)
  prefix.writeInt32BE(length)
  return prefix
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that buffers hold once garbage is gone: it is freed on another thread, so until the figure stands still. */
async function bytesHeld(): Promise<number> {
  let held = Number.POSITIVE_INFINITY
  for (let same = 0; same < 3; ) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const now = process.memoryUsage().arrayBuffers
    same = now === held ? same + 1 : 0
    held = now
  }
  return held
}

describe('FrameDecoder', () => {
  it('cuts all frames of one chunk', () => {
    const decoder = new FrameDecoder()
    decoder.push(Buffer.concat(vectors))
    expect(pull(decoder)).toEqual(payloads)
    expect(decoder.bytesBuffered).toBe(0)
  })

  it('cuts the same frames wherever the stream is split in two', () => {
    const stream = Buffer.concat(vectors)
    for (let at = 0; at <= stream.length; at++) {
      const decoder = new FrameDecoder()
      decoder.push(stream.subarray(0, at))
      const before = pull(decoder)
      decoder.push(stream.subarray(at))
      expect([...before, ...pull(decoder)]).toEqual(payloads)
    }
  })

  it('cuts the same frames from one byte at a time', () => {
    const decoder = new FrameDecoder()
    const frames: Buffer[] = []
    for (const byte of Buffer.concat(vectors)) {
      decoder.push(Buffer.of(byte))
      frames.push(...pull(decoder))
    }
    expect(frames).toEqual(payloads)
  })

  it('hands out a frame within one chunk without a copy', () => {
    const decoder = new FrameDecoder()
    const chunk = Buffer.concat(vectors)
    decoder.push(chunk)
    for (const frame of pull(decoder)) expect(frame.buffer).toBe(chunk.buffer)
  })

  it('keeps what is pushed while frames are not pulled', () => {
    const decoder = new FrameDecoder()
    for (const bytes of vectors) decoder.push(bytes)
    expect(decoder.next()).toEqual(payloads[0])
    const first = (vectors[0] as Buffer).length
    expect(decoder.bytesBuffered).toBe(Buffer.concat(vectors).length - first)
    for (const byte of vectors[0] as Buffer) decoder.push(Buffer.of(byte))
    expect(pull(decoder)).toEqual([...payloads.slice(1), payloads[0]])
    expect(decoder.bytesBuffered).toBe(0)
  })

  it('does not change a frame that it handed out', () => {
    const decoder = new FrameDecoder()
    decoder.push(Buffer.from('0000000361', 'hex'))
    decoder.next()
    decoder.push(Buffer.from('62630000000264', 'hex'))
    const frame = decoder.next()
    expect(decoder.next()).toBeNull()
    decoder.push(Buffer.from('65', 'hex'))
    expect(decoder.next()?.toString()).toBe('de')
    expect(frame?.toString()).toBe('abc')
  })

  it('takes a 64 MiB frame in chunks of a socket', () => {
    const decoder = new FrameDecoder()
    const chunk = Buffer.alloc(SLAB, 7)
    decoder.push(prefixed(64 * MIB))
    for (let i = 0; i < 1024; i++) {
      expect(decoder.next()).toBeNull()
      decoder.push(chunk)
    }
    const frame = decoder.next()
    expect(frame?.length).toBe(64 * MIB)
    expect(frame?.equals(Buffer.alloc(64 * MIB, 7))).toBe(true)
  })

  it('takes a large frame one byte at a time', () => {
    const decoder = new FrameDecoder()
    const byte = Buffer.of(7)
    decoder.push(prefixed(MIB))
    for (let i = 0; i < MIB; i++) {
      decoder.next()
      decoder.push(byte)
    }
    expect(decoder.next()?.equals(Buffer.alloc(MIB, 7))).toBe(true)
  })

  it('allocates for the bytes that arrived, not for the length claimed', async () => {
    const before = await bytesHeld()
    const decoders = Array.from({ length: 64 }, () => {
      const decoder = new FrameDecoder()
      decoder.push(prefixed(100 * MIB))
      decoder.push(Buffer.alloc(100))
      expect(decoder.next()).toBeNull()
      return decoder
    })
    expect((await bytesHeld()) - before).toBeLessThan(MIB)
    expect(decoders[0]?.bytesBuffered).toBe(104)
  })

  it('does not keep a slab alive for each one-byte chunk', async () => {
    const slabbed = (): Buffer => Buffer.allocUnsafeSlow(SLAB).subarray(0, 1)
    const before = await bytesHeld()
    const pulled = new FrameDecoder()
    const waiting = new FrameDecoder()
    for (const decoder of [pulled, waiting]) decoder.push(prefixed(MIB))
    for (let i = 0; i < 500; i++) {
      pulled.push(slabbed())
      pulled.next()
      waiting.push(slabbed())
    }
    expect((await bytesHeld()) - before).toBeLessThan(2 * MIB)
    expect(pulled.bytesBuffered).toBe(504)
    expect(waiting.bytesBuffered).toBe(504)
  })

  it('lets go of a chunk whose frames were pulled', async () => {
    const before = await bytesHeld()
    const decoder = new FrameDecoder()
    const chunk = (): Buffer => Buffer.concat([prefixed(4 * MIB), Buffer.alloc(4 * MIB)])
    decoder.push(chunk())
    expect(pull(decoder)).toHaveLength(1)
    expect((await bytesHeld()) - before).toBeLessThan(MIB)
    expect(decoder.bytesBuffered).toBe(0)
  })
})

describe('what is no frame', () => {
  const cases: [string, Buffer, string][] = [
    ['TLS', Buffer.from('16030100c8010000', 'hex'), 'tls'],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n'), 'http'],
    ['HTTP', Buffer.from('POST /topics HTTP/1.1\r\n'), 'http'],
    ['HTTP', Buffer.from('HEAD / HTTP/1.1\r\n'), 'http'],
    ['HTTP', Buffer.from('PUT / HTTP/1.1\r\n'), 'http'],
    ['HTTP', Buffer.from('DELETE / HTTP/1.1\r\n'), 'http'],
    ['HTTP', Buffer.from('PRI * HTTP/2.0\r\n'), 'http'],
    ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), 'ssh'],
    ['length -1', Buffer.from('ffffffff00', 'hex'), 'negative length'],
    ['length 0', Buffer.from('0000000000', 'hex'), 'empty frame'],
    ['104857601 bytes', Buffer.from('0640000100', 'hex'), 'large frame'],
  ]
  for (const [said, bytes, looksLike] of cases) {
    it(`is told for what it looks like: ${JSON.stringify(bytes.toString('latin1').slice(0, 4))}`, () => {
      for (const chunks of [[bytes], [...bytes].map((byte) => Buffer.of(byte))]) {
        const decoder = new FrameDecoder()
        for (const chunk of chunks) decoder.push(chunk)
        expect(() => decoder.next()).toThrow(expect.objectContaining({ looksLike, name: 'FrameError' }))
        expect(() => decoder.next()).toThrow(said)
      }
    })
  }

  it('comes behind the frames before it', () => {
    const decoder = new FrameDecoder()
    decoder.push(Buffer.concat([...vectors, Buffer.from('GET / HTTP/1.1\r\n')]))
    for (const payload of payloads) expect(decoder.next()).toEqual(payload)
    expect(() => decoder.next()).toThrow('HTTP')
    decoder.push(Buffer.concat(vectors))
    expect(() => decoder.next()).toThrow('HTTP')
  })

  it('has a code that says whether it is too large', () => {
    const codeOf = (length: number): unknown => {
      const decoder = new FrameDecoder(10)
      decoder.push(prefixed(length))
      try {
        return decoder.next()
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    expect(codeOf(10)).toBeNull()
    expect(codeOf(11)).toBe('FRAME_TOO_LARGE')
    expect(codeOf(0)).toBe('INVALID_FRAME')
  })
})
