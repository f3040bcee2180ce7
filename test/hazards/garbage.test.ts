import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { requireCurrentDist } from '../support/cli-process.js'
import { scaled } from '../support/scale.js'
import { temporaryDirectory } from '../support/temporary.js'

const PROGRAM = fileURLToPath(new URL('../support/gc-program.mjs', import.meta.url))

async function run(what: string, count: number): Promise<{ before: number; after: number }> {
  requireCurrentDist()
  const args = ['--expose-gc', PROGRAM, what, String(count), await temporaryDirectory()]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

it('hundreds of logs that were opened, written and closed hold no descriptor', async () => {
  const { before, after } = await run('closedLogs', scaled(100, 500))
  expect(after).toBe(before)
})

it('logs that nobody closed, dropped with work under way, do no harm', async () => {
  await run('openLogs', scaled(30, 60))
})

it('segments that nobody closed, dropped with work under way, hold no descriptor', async () => {
  const { before, after } = await run('droppedSegments', scaled(30, 60))
  expect(after).toBe(before)
})
