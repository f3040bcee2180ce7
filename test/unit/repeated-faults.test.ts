import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { printable } from '../../src/printable.js'
import { FewLines, RepeatedFaults } from '../../src/repeated-faults.js'
import { memoryLogger } from '../support/memory-logger.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('says a fault once, then how many more of its kind there were', () => {
  const logger = memoryLogger()
  const faults = new RepeatedFaults(logger, 1000)
  for (let i = 0; i < 100; i++) faults.report('warn', 'tls', { peer: i }, `closing ${i}`)
  faults.report('error', 'disk', {}, 'the disk is full')
  expect(logger.messages()).toEqual(['closing 0', 'the disk is full'])
  vi.advanceTimersByTime(1000)
  expect(logger.messages()).toEqual(['closing 0', 'the disk is full', '99 more: tls'])
  expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { kind: 'tls', more: 99 } })
})

it('says it anew behind a time without any, and sets no timer while there is none', () => {
  const logger = memoryLogger()
  const faults = new RepeatedFaults(logger, 1000)
  faults.report('warn', 'tls', {}, 'first')
  vi.advanceTimersByTime(3000)
  expect(vi.getTimerCount()).toBe(0)
  faults.report('warn', 'tls', {}, 'second')
  expect(logger.messages()).toEqual(['first', 'second'])
})

it('says at its end what was only counted', () => {
  const logger = memoryLogger()
  const faults = new RepeatedFaults(logger)
  for (let i = 0; i < 3; i++) faults.report('warn', 'tls', {}, 'closing')
  faults.close()
  expect(logger.messages()).toEqual(['closing', '2 more: tls'])
  expect(vi.getTimerCount()).toBe(0)
})

it('tells so much in a while of what strangers can make happen, and counts the rest', () => {
  const logger = memoryLogger()
  const few = new FewLines(logger, 2, 'groups', 1000)
  for (let i = 0; i < 5; i++) few.info({}, `group ${i}`)
  few.warn({}, 'a warning')
  vi.advanceTimersByTime(1000)
  few.info({}, 'later')
  vi.advanceTimersByTime(1000)
  expect(logger.messages()).toEqual(['group 0', 'group 1', 'a warning', '3 more about groups', 'later'])
})

it('escapes what would move a cursor or begin a line', () => {
  expect(printable('a\u001b[2Jb\r\nc\u0000\u007f\u009b\u2028\u202e')).toBe(
    'a\\u001b[2Jb\\u000d\\u000ac\\u0000\\u007f\\u009b\\u2028\\u202e',
  )
  expect(printable('Zürich → 東京 🎫 a b')).toBe('Zürich → 東京 🎫 a b')
})
