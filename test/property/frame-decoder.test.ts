import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameDecoder } from '../../src/wire/frame-decoder.js'
import { FrameError } from '../../src/wire/frame-error.js'
import { bytes, cutAt, cuts } from './arbitraries.js'

const payloads = fc.array(
  fc.oneof(bytes(50), bytes(5000)).filter(({ length }) => length > 0),
  { maxLength: 12 },
)

function framed(payload: Buffer): Buffer {
  const prefix = Buffer.alloc(4)
  prefix.writeInt32BE(payload.length)
  return Buffer.concat([prefix, payload])
}

describe('FrameDecoder', () => {
  it('cuts the same frames however the bytes arrive and whenever frames are pulled', () => {
    fc.assert(
      fc.property(payloads, cuts, fc.array(fc.nat({ max: 3 })), (sent, places, pulls) => {
        const decoder = new FrameDecoder()
        const received: Buffer[] = []
        let pushed = 0
        let taken = 0
        const pull = (limit: number): void => {
          while (limit-- > 0) {
            const frame = decoder.next()
            if (frame === null) return
            received.push(Buffer.from(frame))
            taken += 4 + frame.length
          }
        }
        cutAt(Buffer.concat(sent.map(framed)), places).forEach((chunk, i) => {
          decoder.push(chunk)
          pushed += chunk.length
          pull(pulls[i] ?? 1)
          expect(decoder.bytesBuffered).toBe(pushed - taken)
        })
        pull(Number.POSITIVE_INFINITY)
        expect(received).toEqual(sent)
        expect(decoder.bytesBuffered).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  it('cuts the same frames where bytes are put into the room of a large one, not pushed', () => {
    const least = fc.integer({ min: 1, max: 2000 })
    fc.assert(
      fc.property(payloads, cuts, least, fc.array(fc.nat({ max: 400 })), (sent, places, missing, portions) => {
        const decoder = new FrameDecoder()
        const received: Buffer[] = []
        const pullAll = (): void => {
          for (let frame = decoder.next(); frame !== null; frame = decoder.next()) received.push(Buffer.from(frame))
        }
        const put = (bytes: Buffer, portion: number): Buffer => {
          const room = decoder.room(missing)
          if (room === null) return bytes
          const count = bytes.copy(room.into, room.start, 0, Math.min(portion, bytes.length))
          decoder.filled(count)
          pullAll()
          return bytes.subarray(count)
        }
        cutAt(Buffer.concat(sent.map(framed)), places).forEach((chunk, i) => {
          decoder.push(put(chunk, portions[i] ?? 100))
          pullAll()
        })
        expect(received).toEqual(sent)
        expect(decoder.bytesBuffered).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  it('offers no room in front of bytes that wait', () => {
    const decoder = new FrameDecoder()
    decoder.push(framed(Buffer.alloc(100)).subarray(0, 50))
    expect(decoder.room(1)).toBeNull()
    expect(decoder.next()).toBeNull()
    expect(decoder.room(1)?.start).toBe(46)
    expect(decoder.room(55)).toBeNull()
    decoder.push(Buffer.alloc(1))
    expect(decoder.room(1)).toBeNull()
  })

  it('answers hostile bytes with frames or a FrameError, the same however they arrive', () => {
    const outcome = (chunks: Buffer[]): (string | undefined)[] => {
      const decoder = new FrameDecoder(1000)
      const seen: string[] = []
      for (const chunk of chunks) decoder.push(chunk)
      try {
        for (let frame = decoder.next(); frame !== null; frame = decoder.next()) seen.push(frame.toString('hex'))
        return seen
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError)
        return [...seen, (error as Error).message]
      }
    }
    const shortPrefixes = fc
      .array(fc.tuple(fc.nat({ max: 4 }), bytes(6)))
      .map((parts) => Buffer.concat(parts.flatMap(([length, rest]) => [Buffer.of(0, 0, 0, length), rest])))
    fc.assert(
      fc.property(fc.oneof(bytes(200), shortPrefixes), cuts, (hostile, places) => {
        expect(outcome(cutAt(hostile, places))).toEqual(outcome([hostile]))
      }),
      { numRuns: 500 },
    )
  })
})
