import { CommanderError } from 'commander'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { serveCommand } from '../../src/cli/commands/serve.js'
import { serve } from '../../src/cli/serve/serve.js'
import { readPlainArguments } from '../../src/cli/serve/serve-plainly.js'

// The one thing not wanted here: a broker.
vi.mock('../../src/cli/serve/serve.js', () => ({ serve: vi.fn() }))
vi.spyOn(process.stderr, 'write').mockReturnValue(true)
vi.spyOn(process.stdout, 'write').mockReturnValue(true)

/** What commander makes of the arguments; null for help and mistakes. */
async function byCommander(args: readonly string[]) {
  vi.mocked(serve).mockClear()
  try {
    await serveCommand().parseAsync(args, { from: 'user' })
  } catch (error) {
    expect(error).toBeInstanceOf(CommanderError)
    return null
  }
  return vi.mocked(serve).mock.calls[0]?.[0]
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
