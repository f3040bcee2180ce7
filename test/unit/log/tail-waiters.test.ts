import { expect, it } from 'vitest'
import { TailWaiters } from '../../../src/log/tail-waiters.js'

it('a growth listener hears of each append until it unsubscribes, also while it is told', () => {
  const tail = new TailWaiters()
  const heard: string[] = []
  const first = tail.onGrowth((bytes) => {
    heard.push(`first ${bytes}`)
    if (bytes > 100) first()
  })
  const second = tail.onGrowth((bytes) => heard.push(`second ${bytes}`))
  tail.wake(10)
  tail.wake(200)
  tail.wake(30)
  second()
  tail.wake(40)
  expect(heard).toEqual(['first 10', 'second 10', 'first 200', 'second 200', 'second 30'])
})

it('who waits for the next append is woken once, and an abort ends the wait', async () => {
  const tail = new TailWaiters()
  const woken = tail.next()
  const abort = new AbortController()
  const aborted = tail.next(abort.signal)
  abort.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  tail.wake(1)
  await woken
  await expect(tail.next(abort.signal)).rejects.toThrow('enough')
})
