import { expect, it } from 'vitest'
import { BELIEVED_AFTER_MS, JUMP_MS, RetentionClock } from '../../../src/log/retention-clock.js'

const START = Date.UTC(2026, 10, 30)
const YEAR = 365 * 86_400_000

/** A clock whose time passes, and which is set, by hand. */
function clockByHand() {
  let now = START
  let elapsed = 5000
  const clock = new RetentionClock({ now: () => now, elapsed: () => elapsed })
  return {
    clock,
    pass: (ms: number) => {
      now += ms
      elapsed += ms
    },
    set: (ms: number) => {
      now += ms
    },
  }
}

it('is the clock while that goes as time passes', () => {
  const { clock, pass, set } = clockByHand()
  expect(clock.now()).toBe(START)
  pass(10 * YEAR)
  expect(clock.now()).toBe(START + 10 * YEAR)
  // A little is what clocks are put right by.
  set(JUMP_MS)
  expect(clock.now()).toBe(START + 10 * YEAR + JUMP_MS)
  expect(clock.isHeld).toBe(false)
})

it('does not believe a jump forward before an hour has passed', () => {
  const { clock, pass, set } = clockByHand()
  set(YEAR)
  expect(clock.now()).toBe(START)
  expect(clock.isHeld).toBe(true)
  pass(BELIEVED_AFTER_MS - 1)
  expect(clock.now()).toBe(START + BELIEVED_AFTER_MS - 1)
  pass(1)
  expect(clock.now()).toBe(START + YEAR + BELIEVED_AFTER_MS)
  expect(clock.isHeld).toBe(false)
  pass(1000)
  expect(clock.now()).toBe(START + YEAR + BELIEVED_AFTER_MS + 1000)
})

it('forgets a jump that is put right', () => {
  const { clock, pass, set } = clockByHand()
  set(YEAR)
  expect(clock.now()).toBe(START)
  pass(1000)
  set(-YEAR)
  expect(clock.now()).toBe(START + 1000)
  expect(clock.isHeld).toBe(false)
  // The next one has its own hour.
  set(YEAR)
  pass(BELIEVED_AFTER_MS - 1)
  expect(clock.now()).toBe(START + 1000 + BELIEVED_AFTER_MS - 1)
})

it('goes back with the clock', () => {
  const { clock, pass, set } = clockByHand()
  set(-YEAR)
  expect(clock.now()).toBe(START - YEAR)
  pass(1000)
  expect(clock.now()).toBe(START - YEAR + 1000)
})
