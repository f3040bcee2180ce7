import { afterEach, expect, it, vi } from 'vitest'
import { startProgress } from '../../src/cli/progress.js'

const { isTTY } = process.stderr

afterEach(() => {
  process.stderr.isTTY = isTTY
  vi.restoreAllMocks()
})

it('where standard error is no terminal nothing is shown, and the total is not asked', async () => {
  process.stderr.isTTY = false
  const total = vi.fn(() => 1)
  expect(await startProgress('verifying', total)).toBeNull()
  expect(total).not.toHaveBeenCalled()
})

it('on a terminal a bar says how far it is, and goes', async () => {
  process.stderr.isTTY = true
  let shown = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += text
    return true
  })
  const progress = await startProgress('verifying', () => 10 << 20)
  progress?.advance(4 << 20)
  progress?.advance(6 << 20)
  progress?.stop()
  expect(shown).toContain('verifying [')
  expect(shown).toContain('100 % 10/10 MiB')
  // The line is cleared behind it.
  const ESCAPE = String.fromCharCode(27)
  expect(shown.slice(shown.lastIndexOf('MiB'))).toContain(`${ESCAPE}[2K`)
})
