import { describe, expect, it } from 'vitest'
import { detectWire, wireOfFrame } from '../../../src/wire/wire-detection.js'
import { readVectors } from '../../support/vectors.js'

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')

describe('detectWire', () => {
  it('takes every request of the vectors for MyKafka', () => {
    const vectors = readVectors<{ name: string; bytes: string }[]>('frames.json')
    const requests = vectors.filter(({ name }) => !name.includes(' response'))
    expect(requests).toHaveLength(5)
    for (const request of requests) {
      expect(detectWire(bytes(request.bytes))).toBe('mykafka')
      expect(wireOfFrame(bytes(request.bytes).subarray(4))).toBe('mykafka')
    }
  })

  it('takes an ApiVersions and a Produce request for Kafka', () => {
    expect(detectWire(bytes('00000012' + '0012' + '0003' + '00000001' + '0004' + '74657374'))).toBe('kafka')
    expect(detectWire(bytes('00000012' + '0000' + '0009' + '00000001' + '0004' + '74657374'))).toBe('kafka')
  })

  it('asks for more bytes until the seventh', () => {
    const frame = bytes('00000019' + '02' + '0012')
    for (let length = 0; length < 7; length++) expect(detectWire(frame.subarray(0, length))).toBeNull()
    expect(detectWire(frame)).toBe('mykafka')
  })

  it('takes a first frame that is too short for neither', () => {
    expect(detectWire(bytes('00000000'))).toBe('unknown')
    expect(detectWire(bytes('00000002'))).toBe('unknown')
    expect(detectWire(bytes('00000002' + '0000'))).toBe('unknown')
    expect(wireOfFrame(bytes('0600'))).toBe('unknown')
    expect(detectWire(bytes('00000003' + '060000'))).toBe('mykafka')
    expect(detectWire(bytes('00000009' + '070000'))).toBe('mykafka')
  })

  it('takes a length that no frame may have for neither', () => {
    expect(detectWire(bytes('ffffffff'))).toBe('unknown')
    expect(detectWire(bytes('06400001'))).toBe('unknown')
    expect(detectWire(bytes('0000000b' + '020001'), 10)).toBe('unknown')
    expect(detectWire(bytes('0000000a' + '020001'), 10)).toBe('mykafka')
  })

  it("takes TLS's greeting for neither, whatever its length", () => {
    for (let low = 0; low <= 255; low++) {
      expect(detectWire(Buffer.of(0x16, 3, 1, 2, low, 1, 0, 1, 0xfc, 3, 3))).toBe('unknown')
    }
  })

  it('takes any other first byte for neither', () => {
    for (let first = 8; first <= 255; first++) expect(wireOfFrame(Buffer.of(first, 0, 1))).toBe('unknown')
  })

  it('tells a topic length from the ends of an api key and a version', () => {
    expect(wireOfFrame(Buffer.of(0, 0, 0))).toBe('kafka')
    expect(wireOfFrame(Buffer.of(0, 0, 1))).toBe('mykafka')
    expect(wireOfFrame(Buffer.of(0, 0, 249))).toBe('mykafka')
    expect(wireOfFrame(Buffer.of(0, 0, 250))).toBe('kafka')
    expect(wireOfFrame(Buffer.of(0, 1, 0))).toBe('kafka')
    expect(wireOfFrame(Buffer.of(0, 255, 255))).toBe('kafka')
  })
})
