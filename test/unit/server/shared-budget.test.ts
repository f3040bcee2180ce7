import { expect, it, vi } from 'vitest'
import { SharedBudget } from '../../../src/server/shared-budget.js'

it('is exhausted at its limit, and until a quarter of it is free again', () => {
  const budget = new SharedBudget(100)
  budget.take(99)
  expect(budget.exhausted).toBe(false)
  budget.take(11)
  expect(budget.exhausted).toBe(true)
  budget.give(34)
  expect(budget.held).toBe(76)
  expect(budget.exhausted).toBe(true)
  budget.give(1)
  expect(budget.exhausted).toBe(false)
})

it('tells everyone who waits, once, when it is open again', () => {
  const budget = new SharedBudget(100)
  const [first, second, gone] = [vi.fn(), vi.fn(), vi.fn()]
  budget.onRelief(first)
  budget.onRelief(second)
  budget.onRelief(gone)()
  budget.take(100)
  budget.give(50)
  budget.give(50)
  expect([first, second, gone].map((listener) => listener.mock.calls.length)).toEqual([1, 1, 0])
})

it('tells nobody where it never was exhausted', () => {
  const budget = new SharedBudget(100)
  const listener = vi.fn()
  budget.onRelief(listener)
  budget.take(99)
  budget.give(99)
  expect(listener).not.toHaveBeenCalled()
})
