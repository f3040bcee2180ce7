import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type RequestHolder, RequestMemory } from '../../../src/server/request-memory.js'

const MEBIBYTE = 1 << 20

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection by what the memory knows of it: it begins requests, and bytes of them come as long as it reads. */
class Holder implements RequestHolder {
  readonly #memory: RequestMemory
  readonly #length: number
  held = 0
  bytesReceived = 0
  dropped = false
  reads = true

  constructor(memory: RequestMemory, length: number) {
    this.#memory = memory
    this.#length = length
  }

  get bytesMissing(): number {
    return this.held > 0 ? this.#length - this.held : 0
  }

  /** Returns whether it may go on. */
  receive(bytes: number): boolean {
    this.held += bytes
    this.bytesReceived += bytes
    this.#memory.hold(this, this.held)
    this.reads = this.#memory.mayRead(this)
    return this.reads
  }

  /** The request is whole, and answered at once. */
  answered(): void {
    this.held = 0
    this.#memory.hold(this, 0)
  }

  readOn(): void {
    this.reads = true
  }

  dropForMemory(): void {
    this.dropped = true
    this.held = 0
    this.#memory.forget(this)
  }
}

function holders(memory: RequestMemory, count: number, length = 100 * MEBIBYTE): Holder[] {
  return Array.from({ length: count }, () => new Holder(memory, length))
}

it('connections read on until the limit is reached, small requests also beyond it', () => {
  const memory = new RequestMemory(10 * MEBIBYTE)
  const [first, second, small] = holders(memory, 3) as [Holder, Holder, Holder]
  expect(first.receive(9 * MEBIBYTE)).toBe(true)
  expect(second.receive(MEBIBYTE)).toBe(false)
  expect(small.receive(60_000)).toBe(true)
  expect(memory.held).toBe(10 * MEBIBYTE)
})

it('those that wait go on when requests are answered', () => {
  const memory = new RequestMemory(10 * MEBIBYTE)
  const [first, second] = holders(memory, 2, 20 * MEBIBYTE) as [Holder, Holder]
  first.receive(9 * MEBIBYTE)
  expect(second.receive(2 * MEBIBYTE)).toBe(false)
  first.answered()
  expect(second.reads).toBe(true)
  expect(memory.held).toBe(2 * MEBIBYTE)
})

it('where nobody ends a request, the one with the least missing is let in, and goes where it does not come on', () => {
  const memory = new RequestMemory(10 * MEBIBYTE)
  const stalled = holders(memory, 3)
  stalled[0]?.receive(6 * MEBIBYTE)
  stalled[1]?.receive(5 * MEBIBYTE)
  stalled[2]?.receive(MEBIBYTE)
  const honest = new Holder(memory, 2 * MEBIBYTE)
  expect(honest.receive(MEBIBYTE)).toBe(false)
  vi.advanceTimersByTime(200)
  expect(honest.reads).toBe(true)
  honest.receive(MEBIBYTE / 2)
  vi.advanceTimersByTime(100)
  expect(honest.dropped).toBe(false)
  honest.receive(MEBIBYTE / 2)
  honest.answered()
  for (let i = 0; i < 100 && memory.held >= memory.limit; i++) vi.advanceTimersByTime(100)
  expect(memory.held).toBeLessThan(memory.limit)
  expect(stalled.filter(({ dropped }) => dropped).length).toBeGreaterThan(0)
})

it('a thousand that announce 100 MB and stop hold little more than the limit', () => {
  const memory = new RequestMemory(256 * MEBIBYTE)
  const all = holders(memory, 1000)
  for (let round = 0; round < 50; round++) {
    for (const each of all) if (each.reads && !each.dropped) each.receive(MEBIBYTE)
    expect(memory.held).toBeLessThan(1300 * MEBIBYTE)
  }
  for (let i = 0; i < 8000 && all.some(({ dropped }) => !dropped); i++) vi.advanceTimersByTime(100)
  expect(memory.held).toBeLessThan(memory.limit)
})

it('turns for nothing are those of one request: a slow client whose requests end is not dropped', () => {
  const memory = new RequestMemory(10 * MEBIBYTE)
  // It is being answered.
  const other = new Holder(memory, 10 * MEBIBYTE)
  other.receive(10 * MEBIBYTE)
  const slow = new Holder(memory, 2 * MEBIBYTE)
  for (let request = 0; request < 10; request++) {
    slow.receive(MEBIBYTE)
    // It is let in, and brings nothing for two turns.
    vi.advanceTimersByTime(300)
    slow.receive(MEBIBYTE)
    slow.answered()
  }
  expect(slow.dropped).toBe(false)
  slow.receive(MEBIBYTE)
  vi.advanceTimersByTime(2000)
  expect(slow.dropped).toBe(true)
})

it('a connection that is gone holds nothing, and keeps nobody waiting', () => {
  const memory = new RequestMemory(MEBIBYTE)
  const [first, second] = holders(memory, 2) as [Holder, Holder]
  first.receive(2 * MEBIBYTE)
  second.receive(MEBIBYTE)
  memory.forget(first)
  memory.forget(second)
  expect(memory.held).toBe(0)
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
})
