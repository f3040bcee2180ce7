import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Log } from '../../src/log/log.js'
import { startBroker } from '../support/broker.js'
import { requireCurrentDist } from '../support/cli-process.js'
import { testRandom } from '../support/random.js'
import { readLog } from '../support/read-log.js'
import { readStoredEntries } from '../support/stored-format.js'
import { temporaryDirectory } from '../support/temporary.js'

const PROGRAM = fileURLToPath(new URL('../support/ending-program.mjs', import.meta.url))

const ROUNDS = process.env.MYKAFKA_TEST_FULL ? 30 : 2

type How = 'exit' | 'throw' | 'signal' | 'return'

/** Runs the program to its end, which has to be the one that it wants; returns how many records were acknowledged. */
async function run(what: string, how: How, directory: string, milliseconds: number): Promise<number> {
  requireCurrentDist()
  const child = fork(PROGRAM, [what, how, directory, String(milliseconds)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let acknowledged = 0
  let stderr = ''
  child.on('message', (offset: number) => {
    acknowledged = Math.max(acknowledged, offset + 1)
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const [code, signal] = await once(child, 'close')
  const expected = { exit: [0, null], return: [0, null], throw: [1, null], signal: [null, 'SIGTERM'] }[how]
  expect([code, signal], stderr).toEqual(expected)
  if (how === 'throw') expect(stderr).toContain('on purpose')
  return acknowledged
}

describe.each(['exit', 'throw', 'signal'] as const)('a process that ends by %s', (how) => {
  it('with a busy log keeps what was acknowledged', async () => {
    const random = testRandom()
    const directory = await temporaryDirectory()
    let acknowledged = 0
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged = Math.max(acknowledged, await run('busyLog', how, directory, random.integer(0, 100)))
      const log = await Log.open(directory)
      expect(log.logEndOffset).toBeGreaterThanOrEqual(acknowledged)
      expect(await log.verify()).toEqual([])
      await log.close()
    }
    expect(acknowledged).toBeGreaterThan(0)
  })

  it('with a busy broker keeps what was acknowledged', async () => {
    const random = testRandom()
    const directory = await temporaryDirectory()
    let acknowledged = 0
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged = Math.max(acknowledged, await run('busyBroker', how, directory, random.integer(0, 100)))
    }
    const broker = await startBroker({ dataDir: directory })
    const stored = readStoredEntries(await readLog(await broker.connect(), 't', 0))
    expect(stored.length).toBeGreaterThanOrEqual(acknowledged)
  })
})

it('an open log does not keep its process', async () => {
  const directory = join(await temporaryDirectory(), 'log')
  expect(await run('idleLog', 'return', directory, 0)).toBe(2)
  const log = await Log.open(directory)
  expect(log.logEndOffset).toBe(2)
  await log.close()
})
