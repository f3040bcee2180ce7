import { describe, expect, it } from 'vitest'
import { decodeSnapshot, encodeSnapshot } from '../../../src/log/producer-snapshot.js'
import { MOST_PRODUCERS, type ProducerBatch, ProducerStates } from '../../../src/log/producer-state.js'

const NOW = 1700000000000
const batch = (baseSequence: number, recordCount = 1, producerEpoch = 0): ProducerBatch => ({
  producerId: 7,
  producerEpoch,
  baseSequence,
  recordCount,
})

/** States in which these batches of producer 7 were written, from offset 100 on. */
function having(...batches: ProducerBatch[]): ProducerStates {
  const states = new ProducerStates()
  let offset = 100
  for (const written of batches) {
    states.add(written, offset, NOW)
    offset += written.recordCount
  }
  return states
}

const refusal = (states: ProducerStates, next: ProducerBatch): unknown => {
  try {
    return states.check(next)
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('the batches of an idempotent producer', () => {
  it('may begin anywhere where nothing is known', () => {
    expect(new ProducerStates().check(batch(4711))).toBeNull()
  })

  it('go on where the last one ended', () => {
    const states = having(batch(0, 3))
    expect(states.check(batch(3))).toBeNull()
    expect(refusal(states, batch(4))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(refusal(states, batch(2))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  })

  it('are answered with their first offset where they come again, as far back as five', () => {
    const states = having(...Array.from({ length: 6 }, (_, i) => batch(i * 2, 2)))
    for (let i = 1; i < 6; i++) {
      expect(states.check(batch(i * 2, 2))).toEqual({ baseOffset: 100 + i * 2, count: 2, duplicate: true })
    }
    expect(refusal(states, batch(0, 2))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(refusal(states, batch(10, 1))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  })

  it.each([
    ['behind the last sequence number', 2147483647, 1],
    ['within a batch', 2147483646, 5],
  ])('wrap to 0 %s', (_, baseSequence, recordCount) => {
    const states = having(batch(baseSequence, recordCount))
    const next = baseSequence + recordCount - 2147483648
    expect(states.check(batch(next))).toBeNull()
    expect(refusal(states, batch(next + 1))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(states.check(batch(baseSequence, recordCount))).toMatchObject({ baseOffset: 100, duplicate: true })
  })

  it('are fenced by a newer epoch, which begins at 0', () => {
    const states = having(batch(0), batch(0, 1, 1))
    expect(refusal(states, batch(1, 1, 0))).toBe('INVALID_PRODUCER_EPOCH')
    expect(states.check(batch(1, 1, 1))).toBeNull()
    expect(refusal(states, batch(5, 1, 2))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(states.check(batch(0, 1, 2))).toBeNull()
  })

  it('are forgotten when nothing came for long', () => {
    const states = having(batch(0))
    states.expire(NOW)
    expect(refusal(states, batch(9))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
    states.expire(NOW + 1)
    expect(states.check(batch(9))).toBeNull()
  })
})

describe('a snapshot of producers', () => {
  const states = having(batch(0, 3), batch(3), batch(2147483647))
  states.add({ producerId: 2 ** 40, producerEpoch: 32767, baseSequence: 0, recordCount: 1 }, 2 ** 45, NOW)

  it('holds all that is known', () => {
    expect([...(decodeSnapshot(encodeSnapshot(states)) as ProducerStates).entries()]).toEqual([...states.entries()])
  })

  it('counts as none where a byte is missing or wrong', () => {
    const bytes = encodeSnapshot(states)
    for (let i = 0; i < bytes.length; i++) {
      expect(decodeSnapshot(bytes.subarray(0, i))).toBeNull()
      const wrong = Buffer.from(bytes)
      wrong[i] = (wrong[i] as number) ^ 0x10
      expect(decodeSnapshot(wrong)).toBeNull()
    }
  })
})

it('of more producers than are remembered, the one that has been silent for longest is forgotten', () => {
  const states = new ProducerStates()
  const of = (producerId: number, baseSequence: number) => ({ ...batch(baseSequence), producerId })
  for (let id = 0; id < MOST_PRODUCERS; id++) states.add(of(id, 0), id, NOW)
  states.add(of(0, 1), MOST_PRODUCERS, NOW)
  states.add(of(MOST_PRODUCERS, 0), MOST_PRODUCERS + 1, NOW)
  expect(states.size).toBe(MOST_PRODUCERS)
  expect(refusal(states, of(0, 5))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
  expect(states.check(of(1, 5))).toBeNull()
  expect(refusal(states, of(2, 5))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER')
})
