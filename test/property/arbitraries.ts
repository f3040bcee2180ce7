import fc from 'fast-check'
import { share } from '../support/share.js'

/** A topic name by Kafka's rule. */
export const topicName = fc
  .stringMatching(/^[a-zA-Z0-9._-]{1,249}$/)
  .filter((name) => name.length <= 249 && name !== '.' && name !== '..')

/** Any name that fits an int16 length. */
export const anyName = fc.string({ unit: 'grapheme', maxLength: 60 })

export const int32 = fc.integer({ min: -0x80000000, max: 0x7fffffff })
export const safeInteger = fc.maxSafeInteger()

export const bytes = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))

/** A record's key and value, null included. */
export const record = fc.record({
  key: fc.option(bytes(40), { nil: null }),
  value: fc.option(bytes(200), { nil: null }),
})
export const records = fc.array(record, { minLength: 1, maxLength: 20 })

/** Cuts a buffer at the places that `cuts` names (each a share of its length). */
export function cutAt(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.floor(cut * whole.length)).sort((a, b) => a - b), whole.length]
  return places.slice(1).map((end, i) => whole.subarray(places[i], end))
}

/** Places where {@link cutAt} cuts. */
export const cuts = fc.array(share, { maxLength: 30 })

/** What an AWAIT asks for. */
export const awaitedPartitions = (
  topic: fc.Arbitrary<string>,
): fc.Arbitrary<{ topic: string; partition: number; offset: number }[]> =>
  fc.array(fc.record({ topic, partition: int32, offset: safeInteger }, { noNullPrototype: true }), { maxLength: 5 })
