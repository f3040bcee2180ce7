import { describe, expect, it } from 'vitest'
import type { FileSlice } from '../../../src/log/file-slice.js'
import type { NativeSegment } from '../../../src/native/native.js'
import { KafkaWriter, nonNull } from '../../../src/wire/kafka/kafka-writer.js'

/** What `use` writes, in hex. */
function written(use: (writer: KafkaWriter) => void): string {
  const writer = new KafkaWriter()
  use(writer)
  return Buffer.concat(writer.finish() as Buffer[]).toString('hex')
}

const slice = (length: number): FileSlice => ({ segment: {} as NativeSegment, position: 0, length, release() {} })

describe('KafkaWriter', () => {
  it('writes fixed types', () => {
    expect(
      written((writer) => {
        writer.bool(true)
        writer.int8(-1)
        writer.int16(-2)
        writer.uint16(0xfffd)
        writer.int32(-4)
        writer.uint32(0xfffffffb)
        writer.int64(-6)
        writer.bigInt64(-(2n ** 63n))
        writer.float64(1.5)
        writer.uuid('ABEiM0RVZneImaq7zN3u_w')
        writer.uuid('AAAAAAAAAAAAAAAAAAAAAA')
        writer.present(true)
        writer.present(false)
      }),
    ).toBe(
      `01fffffefffdfffffffcfffffffbfffffffffffffffa80000000000000003ff8000000000000` +
        `00112233445566778899aabbccddeeff${'00'.repeat(16)}01ff`,
    )
  })

  it('writes lengths and strings, classic and compact', () => {
    expect(
      written((writer) => {
        for (const value of [0, 127, 128, 16384, 0xffffffff]) writer.unsignedVarint(value)
      }),
    ).toBe('007f8001808001ffffffff0f')
    expect(
      written((writer) => {
        writer.string('ab')
        writer.nullableString(null)
        writer.compactString('ä')
        writer.compactNullableString(null)
        writer.nullableBytes(Buffer.of(1))
        writer.nullableBytes(null)
        writer.compactNullableBytes(Buffer.of(2))
        writer.compactNullableBytes(null)
        writer.arrayLength(-1)
        writer.compactArrayLength(-1)
        writer.compactArrayLength(0)
        writer.records(null)
        writer.compactRecords([])
      }),
    ).toBe('00026162ffff03c3a4000000000101ffffffff020200ffffffff0001ffffffff01')
  })

  it('writes strings of any length up to 32767 bytes', () => {
    for (const length of [63, 64, 65, 127, 128, 511, 512, 513, 32767]) {
      const text = 'x'.repeat(length)
      expect(written((writer) => writer.string(text))).toBe(
        length.toString(16).padStart(4, '0') + Buffer.from(text).toString('hex'),
      )
    }
    const long = 'ä'.repeat(16384)
    for (const method of ['string', 'compactString'] as const) {
      expect(() => new KafkaWriter()[method](long)).toThrow('a string of 32768 bytes is longer than 32767')
    }
  })

  it('refuses what a type cannot hold', () => {
    expect(() => new KafkaWriter().int64(2 ** 53)).toThrow('no safe integer')
    expect(() => new KafkaWriter().uuid('short')).toThrow('"short" is no id of 16 bytes in base64')
    expect(() => new KafkaWriter().uuid('AAAAAAAAAAAAAAAAAAAAAB')).toThrow('is no id')
    const invalid = (message: string) => expect.objectContaining({ code: 'INVALID_ARGUMENT', message })
    for (const value of [128, -129, 0.5]) expect(() => new KafkaWriter().int8(value)).toThrow(`${value} is no int8`)
    for (const value of [2 ** 15, -(2 ** 15) - 1, Number.NaN]) {
      expect(() => new KafkaWriter().int16(value)).toThrow(invalid(`${value} is no int16`))
    }
    for (const value of [2 ** 31, -(2 ** 31) - 1, 1.5]) {
      expect(() => new KafkaWriter().int32(value)).toThrow(invalid(`${value} is no int32`))
    }
    for (const value of [2 ** 16, -1]) expect(() => new KafkaWriter().uint16(value)).toThrow(`${value} is no uint16`)
    for (const value of [2 ** 32, -1]) expect(() => new KafkaWriter().uint32(value)).toThrow(`${value} is no uint32`)
    expect(() => new KafkaWriter().bigInt64(2n ** 63n)).toThrow(invalid('9223372036854775808 is no int64'))
    expect(() => nonNull(null, 'name', 9)).toThrow('name cannot be null in version 9')
  })

  it('writes tagged fields whose length takes one byte or more', () => {
    for (const length of [0, 1, 120, 126, 127, 128, 300, 20000]) {
      const text = 'y'.repeat(length)
      const content = written((writer) => writer.string(text))
      expect(
        written((writer) => {
          writer.int8(5)
          const begun = writer.tag(200)
          writer.string(text)
          writer.endTag(begun)
          writer.int8(6)
        }),
      ).toBe(`05c801${written((writer) => writer.unsignedVarint(length + 2))}${content}06`)
    }
  })

  it('passes file slices and large bytes through, and writes on behind them', () => {
    const writer = new KafkaWriter(true)
    const large = Buffer.alloc(5000, 7)
    const first = slice(1000)
    writer.string('head')
    writer.records([first, large, Buffer.of(1, 2), slice(3)])
    writer.compactRecords(large)
    writer.int8(-1)
    const parts = writer.finish()
    const lengths = parts.map((part) => part.length)
    expect(lengths).toEqual([4 + 6 + 4, 1000, 5000, 2, 3, 2, 5000, 1])
    expect(parts[1]).toBe(first)
    expect((parts[2] as Buffer).buffer).toBe(large.buffer)
    expect((parts[0] as Buffer).toString('hex')).toBe('00002b0a000468656164' + '00001775')
    expect((parts[5] as Buffer).toString('hex')).toBe('8927')
  })

  it('keeps what it wrote while its buffer grows, in front of slices and behind them', () => {
    const writer = new KafkaWriter(true)
    let expected = ''
    for (let i = 0; i < 3000; i++) {
      writer.int32(i)
      expected += i.toString(16).padStart(8, '0')
      if (i % 700 === 0) writer.records([slice(1)])
      if (i % 700 === 0) expected += '00000001'
    }
    const parts = writer.finish()
    const bytes = Buffer.concat(parts.filter((part) => part instanceof Uint8Array))
    expect(bytes.readInt32BE(0)).toBe(bytes.length - 4 + 5)
    expect(bytes.subarray(4).toString('hex')).toBe(expected)
  })
})
