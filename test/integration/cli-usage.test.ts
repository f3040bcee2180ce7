import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runCliHere } from '../support/cli-here.js'
import { runCli } from '../support/cli-process.js'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

const COMMANDS = [
  'serve',
  'topics',
  'topics create',
  'topics list',
  'topics describe',
  'topics alter',
  'topics delete',
  'groups',
  'groups list',
  'groups describe',
  'groups reset-offsets',
  'groups delete',
  'partitions',
  'partitions plan',
  'partitions count',
  'produce',
  'consume',
  'perf produce',
  'perf consume',
  'verify',
  'dump-log',
  'completion',
]

describe('--help', () => {
  test('lists the commands', async () => {
    const { code, stdout, stderr } = await runCli(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const command of COMMANDS) expect(stdout).toContain(`  ${command.split(' ', 1)}`)
  })

  test.each(COMMANDS)('of %s has examples', async (command) => {
    const { code, stdout } = await runCliHere([...command.split(' '), '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: mykafka ${command}`)
    expect(stdout).toContain(`Examples:\n  mykafka ${command}`)
  })
})

test('--version is the version of the package', async () => {
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

test('completion prints the script of a shell', async () => {
  const { code, stdout, stderr } = await runCli(['completion', 'bash'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('complete -o default -F _mykafka mykafka')
})

const MISTAKES: [args: string, says: RegExp][] = [
  ['', /a command is missing/],
  ['srve', /unknown command 'srve' \(Did you mean serve\?\)/],
  ['topics', /a command is missing/],
  ['topics remove', /unknown command 'remove'/],
  ['serve --prt 1', /unknown option '--prt' \(Did you mean --port\?\)/],
  ['serve --port', /'--port <n>' argument missing/],
  ['serve --port 65536', /port must be an integer from 0 to 65535, not 65536/],
  ['serve --port 0x10', /port must be an integer/],
  ['serve --segment-bytes 1023', /segment.bytes must be an integer from 1024/],
  ['serve --index-interval-bytes -1', /index.interval.bytes must be an integer from 0/],
  ['serve --partitioner md5', /partitioner must be murmur2 or java-hash, not md5/],
  ['serve --fsync sometimes', /fsync must be acks, always or never, not sometimes/],
  ['serve --zero-copy maybe', /must be on or off, not maybe/],
  ['serve --max-connections 0', /max.connections must be an integer from 1/],
  ['serve --log-level loud', /must be one of debug, info/],
  ['serve --config /does/not/exist', /ENOENT/],
  ['serve extra', /too many arguments/],
  ['perf produce --topic t --num-records 1 --record-size 1 --producer-props acks=all', /acks is none of linger.ms/],
  ['topics create', /missing required argument 'name'/],
  ['topics create a --partitions 0', /integer from 1 to 2147483647/],
  ['topics list --bootstrap-server nowhere', /HOST:PORT/],
  ['produce', /missing required argument 'topic'/],
  ['produce t --partition -1', /integer from 0/],
  ['produce t --key-separator ', /must not be empty/],
  ['produce t --partitioner md5', /Allowed choices are murmur2, java-hash/],
  ['consume', /missing required argument 'topic'/],
  ['consume t --max-messages 0', /integer from 1/],
  ['consume t --timeout-ms soon', /integer from 1/],
  ['consume t --group ', /must not be empty/],
  ['dump-log', /missing required argument 'path'/],
  ['groups', /a command is missing/],
  ['groups reset-offsets g --to-latest', /one of --topic and --all-topics/],
  ['groups reset-offsets g --all-topics', /one of --to-earliest, --to-latest/],
  ['groups reset-offsets g --all-topics --to-latest --to-offset 1', /one of --to-earliest, --to-latest/],
  ['groups reset-offsets g --topic t:x --to-latest', /TOPIC or TOPIC:PARTITIONS/],
  ['completion tcsh', /Allowed choices are bash, zsh, fish/],
]

describe('a mistake is one line and exit code 2', () => {
  test('of a process', async () => {
    const { code, stdout, stderr } = await runCli(['serve', '--port', '65536'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^mykafka serve: [^\n]*port must be an integer from 0 to 65535, not 65536\n$/)
  })

  test.each(MISTAKES)('mykafka %s', async (args, says) => {
    const { code, stdout, stderr } = await runCliHere(args === '' ? [] : args.split(' '))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^mykafka[^\n]*: [^\n]+\n$/)
    expect(stderr).toMatch(says)
  })
})

test('a broker that is not there: one line with the reason and exit code 1', async () => {
  const { code, stderr } = await runCli(['topics', 'list', '--bootstrap-server', '127.0.0.1:1'])
  expect(code).toBe(1)
  expect(stderr).toBe('mykafka topics: NETWORK_EXCEPTION: no connection to 127.0.0.1:1: ECONNREFUSED\n')
})
