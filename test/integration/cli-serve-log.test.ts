import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.js'

const PROGRAM = fileURLToPath(new URL('../support/stalled-log-program.ts', import.meta.url))
const ON_LINUX = process.platform === 'linux'

/** Runs the program with this standard output until it has ended. Nobody reads what it writes there. */
async function runProgram(stdout: number | 'pipe', style = 'json') {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, style], { stdio: ['ignore', stdout, 'pipe'] })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, said }
}

test.each(['json', 'pretty'])(
  'a log that nobody takes holds up neither the broker nor its end: %s',
  { concurrent: true },
  async (style) => {
    expect(await runProgram('pipe', style)).toEqual({ code: 0, said: 'logged\nclosed\n' })
  },
)

test.runIf(ON_LINUX)('so does a named pipe, which stays what it was for others', { concurrent: true }, async () => {
  const path = join(await temporaryDirectory(), 'log')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, 'r+')
  expect(await runProgram(reader)).toEqual({ code: 0, said: 'logged\nclosed\n' })
})

test.runIf(ON_LINUX)('so does a full disk', { concurrent: true }, async () => {
  expect(await runProgram(openSync('/dev/full', 'w'))).toEqual({ code: 0, said: 'logged\nclosed\n' })
})
