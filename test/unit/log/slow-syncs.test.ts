import { afterEach, expect, it, vi } from 'vitest'
import { watchSync } from '../../../src/log/slow-syncs.js'
import { memoryLogger } from '../../support/memory-logger.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('a sync that takes long is said while it does, once for a while, however many there are', async () => {
  // Behind whatever other tests had to say.
  let now = Math.ceil(performance.now()) + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const logger = memoryLogger()
  const ends: (() => void)[] = []
  const begin = () => watchSync(logger, '/data/t/0', () => new Promise<void>((resolve) => ends.push(resolve)))
  const said = (): number => logger.messages('warn').length

  const syncs = [begin(), begin()]
  vi.advanceTimersByTime(4999)
  expect(said()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(logger.messages('warn')).toEqual(['the disk is slow: a sync takes longer than 5 s'])
  now += 29_999
  syncs.push(begin())
  vi.advanceTimersByTime(5000)
  expect(said()).toBe(1)
  now += 1
  syncs.push(begin())
  vi.advanceTimersByTime(5000)
  expect(said()).toBe(2)

  now += 60_000
  syncs.push(begin())
  for (const end of ends) end()
  await Promise.all(syncs)
  vi.advanceTimersByTime(60_000)
  expect(said()).toBe(2)
})
