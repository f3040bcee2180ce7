import { expect, it } from 'vitest'
import { neededPartitions } from '../../../src/topic/partition-count.js'

it('rounds up, the larger of both sides', () => {
  expect(neededPartitions({ target: 100, produceRate: 10, consumeRate: 30 })).toEqual({
    partitions: 10,
    forProducers: 10,
    forConsumers: 4,
  })
  expect(neededPartitions({ target: 1, produceRate: 50, consumeRate: 50 }).partitions).toBe(1)
})

it('takes what is an integer but for the last bits as that integer', () => {
  expect(neededPartitions({ target: 0.3, produceRate: 0.1, consumeRate: 0.1 }).partitions).toBe(3)
  expect(neededPartitions({ target: 0.6, produceRate: 0.2, consumeRate: 0.2 }).partitions).toBe(3)
})

it('refuses rates that are not above 0', () => {
  for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => neededPartitions({ target: 1, produceRate: wrong, consumeRate: 1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  }
})
