import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { edited, edits, sizeOf, valueOrRefusal } from './hostile-bytes.js'
import { type AnyMessage, type Codec, casesOf, type Direction, decode, encode, loadCodecs } from './kafka-codecs.js'
import { anyStruct, withoutDefaults } from './kafka-message-arbitraries.js'

export const codecs = await loadCodecs()
const cases = casesOf(codecs).map(({ codec, direction, version }) => ({
  name: `${codec.api.name} ${direction}, version ${version}`,
  codec,
  direction,
  version,
  struct: codec.model[direction],
  message: anyStruct(codec.model[direction], version),
}))
/** More than any message has that says nothing. */
const STRUCTS = 20
const CODES = { request: 'INVALID_REQUEST', response: 'INVALID_RESPONSE' }

/** What decoding gives, or null where it refuses in the one way it may. */
function decodeOrRefuse(codec: Codec, direction: Direction, bytes: Buffer, version: number): AnyMessage | null {
  return valueOrRefusal(() => decode(codec, direction, bytes, version), [CODES[direction]])
}

/** The tests of each message in each version, with so many times the least number of random messages. */
export function describeMessages(times: number): void {
  describe.each(cases)('$name', ({ codec, direction, version, struct, message }) => {
    it('decodes what it encoded', () => {
      fc.assert(
        fc.property(message, (value) => {
          expect(decode(codec, direction, encode(codec, direction, value, version), version)).toEqual(value)
        }),
        { numRuns: 15 * times },
      )
    })

    it('says the same where defaults are left out', () => {
      fc.assert(
        fc.property(message, (value) => {
          const short = encode(codec, direction, withoutDefaults(struct, value), version)
          expect(short.equals(encode(codec, direction, value, version))).toBe(true)
        }),
        { numRuns: 5 * times },
      )
    })

    it('refuses every beginning of a message, and a byte too many behind a response', () => {
      fc.assert(
        fc.property(message, (value) => {
          const bytes = encode(codec, direction, value, version)
          for (let end = 0; end < bytes.length; end++) {
            expect(decodeOrRefuse(codec, direction, bytes.subarray(0, end), version)).toBeNull()
          }
          const more = decodeOrRefuse(codec, direction, Buffer.concat([bytes, Buffer.of(0)]), version)
          if (direction === 'response') expect(more).toBeNull()
          else expect(more).toEqual(decode(codec, direction, bytes, version))
        }),
        { numRuns: 2 * times },
      )
    })

    it('refuses damaged bytes or reads them as a message of no more than they hold, that it can say again', () => {
      fc.assert(
        fc.property(message, edits, (value, changes) => {
          const bytes = edited(encode(codec, direction, value, version), changes)
          const read = decodeOrRefuse(codec, direction, bytes, version)
          if (read === null) return
          // Each element of an array has a byte at least; a message without any has its structs.
          expect(sizeOf(read)).toBeLessThanOrEqual(3 * bytes.length + STRUCTS)
          const again = decode(codec, direction, encode(codec, direction, read, version), version)
          expect(isDeepStrictEqual(again, read)).toBe(true)
        }),
        { numRuns: 20 * times },
      )
    })

    it('refuses or reads any bytes', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
          decodeOrRefuse(codec, direction, Buffer.from(bytes), version)
        }),
        { numRuns: 20 * times },
      )
    })
  })
}
