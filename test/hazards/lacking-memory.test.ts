import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { requireCurrentDist } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

const PROGRAM = fileURLToPath(new URL('../support/lacking-memory-program.mjs', import.meta.url))
const canLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0

it.runIf(canLimit)('native code without memory refuses what it is for, and the process goes on', async () => {
  requireCurrentDist()
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, await temporaryDirectory()])
  const { outcomes, nextOffset } = JSON.parse(stdout)
  const [atOnce, onThread] = outcomes
  expect(atOnce).toEqual({ message: 'std::bad_alloc' })
  expect(onThread).toMatchObject({ code: 'KAFKA_STORAGE_ERROR', errno: 'ENOMEM' })
  expect(nextOffset).toBe(2)
})
