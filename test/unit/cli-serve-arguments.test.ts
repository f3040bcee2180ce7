import { CommanderError } from 'commander'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serveCommand } from '../../src/cli/commands/serve.js'
import { readPlainArguments } from '../../src/cli/serve/serve-plainly.js'

// Commander tells of help and mistakes.
beforeEach(() => {
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** What commander makes of the arguments; null for help and mistakes. */
async function byCommander(args: readonly string[]) {
  let read: unknown
  const command = serveCommand(async (given) => {
    read = given
  })
  try {
    await command.parseAsync(args, { from: 'user' })
  } catch (error) {
    expect(error).toBeInstanceOf(CommanderError)
    return null
  }
  return read
}

test('flags become settings; the last one wins', () => {
  expect(readPlainArguments([])).toEqual({ settings: {}, properties: {}, logLevel: 'info' })
  const args = [
    '--port',
    '1',
    '--data-dir=a=b',
    '--zero-copy',
    'off',
    '--port=0',
    '--log-level',
    'debug',
    '--config',
    'f',
    '--override',
    'num.partitions=3',
    '--override=broker.rack=a=b',
    '--override',
    'num.partitions=4',
  ]
  expect(readPlainArguments(args)).toEqual({
    settings: { port: 0, dataDir: 'a=b', zeroCopy: false },
    properties: { 'num.partitions': '4', 'broker.rack': 'a=b' },
    logLevel: 'debug',
    configFile: 'f',
  })
})

test('help and mistakes are left to commander', () => {
  for (const args of [
    ['--help'],
    ['--port'],
    ['--port', 'x'],
    ['--nope', '1'],
    ['extra'],
    ['--port', '--host'],
    ['--override', 'num.partitions'],
    ['--override', 'num.partitions=x'],
    ['--listeners', 'localhost:9092'],
    ['--'],
    [''],
  ]) {
    expect(readPlainArguments(args)).toBe(null)
  }
})

test('what is read without commander is what commander reads', async () => {
  const flag = fc.constantFrom(
    '--port',
    '--host',
    '--data-dir',
    '--fsync',
    '--zero-copy',
    '--log-level',
    '--config',
    '--override',
    '--listeners',
    '--x',
    '-h',
  )
  const value = fc.constantFrom(
    'node.id=2',
    'PLAINTEXT://:1,X://:2',
    '0',
    '9092',
    '-1',
    'on',
    'always',
    'debug',
    'a=b',
    '',
    '--host',
    'localhost',
  )
  const argument = fc.oneof(
    fc.tuple(flag, value),
    fc.tuple(flag, value).map(([name, text]) => [`${name}=${text}`]),
    fc.oneof(flag, value).map((text) => [text]),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(argument, { maxLength: 4 }), async (parts) => {
      const args = parts.flat()
      const plain = readPlainArguments(args)
      if (plain !== null) expect(await byCommander(args)).toEqual(plain)
    }),
    { numRuns: 300 },
  )
})
