import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { CliProcess, COMMAND, runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

const LISTENING = /^listening on 127\.0\.0\.1:(\d+)\n/m

/** Starts a broker on a free port and waits for its line. */
async function serve(dataDir: string, ...args: string[]): Promise<CliProcess & { port: number }> {
  const broker = new CliProcess(['serve', '--port', '0', '--data-dir', dataDir, ...args])
  const [, port] = await broker.outputMatching(LISTENING)
  return Object.assign(broker, { port: Number(port) })
}

/** The log lines on standard output; everything else there must be the line for whoever waits. */
function logLines(stdout: string): { level: number; msg: string; time: number; [field: string]: unknown }[] {
  const lines = stdout.trimEnd().split('\n')
  return lines.filter((line) => !line.startsWith('listening on ')).map((line) => JSON.parse(line))
}

test('says where it listens, on a line of its own, and answers there', async () => {
  const broker = await serve(await temporaryDirectory())
  const client = await Client.connect({ port: broker.port })
  expect(await client.metadata()).toEqual([])
  await client.close()
  expect(broker.stdout.split('\n').filter((line) => line === `listening on 127.0.0.1:${broker.port}`)).toHaveLength(1)
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s stops it cleanly, with exit code 0', async (signal) => {
  const directory = await temporaryDirectory()
  const broker = await serve(directory)
  broker.signal(signal)
  const { code, stdout, stderr } = await broker.exited
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const started = ['loaded 0 commits (0 unique keys)', 'listens on loopback: only programs on this machine can connect']
  expect(logLines(stdout).map(({ msg }) => msg)).toEqual([...started, 'stopping', 'stopped'])
  expect(await readFile(join(directory, '@broker', 'clean-shutdown'), 'utf8')).toBe('0\n')
})

test('a second signal ends it at once, with that signal as the reason', async () => {
  const broker = await serve(await temporaryDirectory())
  // A peer that does not close its side holds up the stop.
  const peer = connect({ port: broker.port, host: '127.0.0.1', allowHalfOpen: true })
  await new Promise((resolve) => peer.once('connect', resolve))
  broker.signal('SIGTERM')
  broker.signal('SIGINT')
  expect([130, 143]).toContain((await broker.exited).code)
  peer.destroy()
})

test('restarted, it has the commits: 5 over 2 keys', async () => {
  const directory = await temporaryDirectory()
  const before = await serve(directory)
  const client = await Client.connect({ port: before.port })
  await client.createTopic('flights', 2)
  await client.commitOffset('board', 'flights', 0, 1)
  await client.commitOffset('board', 'flights', 1, 7)
  await client.commitOffset('board', 'flights', 0, 2)
  await client.commitOffset('board', 'flights', 1, 8)
  await client.commitOffset('board', 'flights', 0, 3)
  await client.close()
  before.signal('SIGTERM')
  await before.exited

  const after = await serve(directory)
  expect(logLines(after.stdout).map(({ msg }) => msg)).toContain('loaded 5 commits (2 unique keys)')
  const again = await Client.connect({ port: after.port })
  expect(await again.fetchOffset('board', 'flights', 0)).toBe(3)
  expect(await again.fetchOffset('board', 'flights', 1)).toBe(8)
  await again.close()
})

test('what is logged before it listens looks like what is logged behind it', async () => {
  const broker = await serve(await temporaryDirectory())
  broker.signal('SIGTERM')
  const [early, , late] = logLines((await broker.exited).stdout)
  expect(Object.keys(early ?? {})).toEqual(['level', 'time', 'pid', 'hostname', 'commits', 'keys', 'msg'])
  expect(Object.keys(late ?? {})).toEqual(['level', 'time', 'pid', 'hostname', 'signal', 'msg'])
  expect(early).toMatchObject({ level: 30, pid: broker.pid, hostname: late?.hostname })
})

const SCRIPT = '/usr/bin/script'

test.runIf(existsSync(SCRIPT))('on a terminal the log is readable', async () => {
  const command = `${process.execPath} ${COMMAND} serve --port 0 --data-dir ${await temporaryDirectory()}`
  const terminal = spawn(SCRIPT, ['-qec', `${command} & wait`, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let shown = ''
  let asked = false
  for await (const chunk of terminal.stdout) {
    shown += chunk
    if (asked || !shown.includes('listening on ')) continue
    asked = true
    process.kill(Number(/\((\d+)\)/.exec(shown)?.[1]), 'SIGTERM')
  }
  const lines = stripVTControlCharacters(shown).replaceAll('\r', '')
  expect(lines).toMatch(
    /INFO \(\d+\): loaded 0 commits \(0 unique keys\)\n.*^listening on 127\.0\.0\.1:\d+\n.*stopped\n/ms,
  )
  expect(lines).not.toContain('{"level"')
})

test('logs no less than the level asked for', async () => {
  const broker = await serve(await temporaryDirectory(), '--log-level', 'warn')
  const peer = connect({ port: broker.port, host: '127.0.0.1' }).on('error', () => {})
  peer.write('GET / HTTP/1.1\r\n\r\n')
  await broker.outputMatching(/"level":40/)
  broker.signal('SIGTERM')
  const lines = logLines((await broker.exited).stdout)
  expect(lines.map(({ level }) => level)).toEqual([40])
})

test('a port that is taken: one line and exit code 1', async () => {
  const first = await serve(await temporaryDirectory())
  const { code, stderr } = await runCli([
    'serve',
    '--port',
    String(first.port),
    '--data-dir',
    await temporaryDirectory(),
  ])
  expect(code).toBe(1)
  expect(stderr).toBe(`mykafka serve: listen EADDRINUSE: address already in use 127.0.0.1:${first.port}\n`)
})

test('a directory that another broker uses: one line and exit code 1', async () => {
  const directory = await temporaryDirectory()
  await serve(directory)
  const { code, stderr } = await runCli(['serve', '--port', '0', '--data-dir', directory])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mykafka serve: DATA_DIR_LOCKED: .*@broker is in use: .*\n$/)
})

test('a data directory that is a file: one line and exit code 1', async () => {
  const file = join(await temporaryDirectory(), 'file')
  await writeFile(file, '')
  const { code, stderr } = await runCli(['serve', '--port', '0', '--data-dir', file])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mykafka serve: KAFKA_STORAGE_ERROR: .* could not be opened: ENOTDIR: .*\n$/)
})

test('a format version from the future: one line and exit code 1', async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, '@broker'))
  await writeFile(join(directory, '@broker', 'meta.properties'), 'version=99\ncluster.id=x\nnode.id=1\n')
  const { code, stderr } = await runCli(['serve', '--port', '0', '--data-dir', directory])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mykafka serve: UNSUPPORTED_FORMAT_VERSION: .*format version 99.*\n$/)
})

test('an uncaught exception is logged at fatal, with its stack, and the exit code is 1', async () => {
  const fault = "process.once('SIGUSR2', () => { throw new Error('a fault of ours') })"
  const options = { env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fault)}"` } }
  const broker = new CliProcess(['serve', '--port', '0', '--data-dir', await temporaryDirectory()], options)
  await broker.outputMatching(LISTENING)
  broker.signal('SIGUSR2')
  const { code, stdout } = await broker.exited
  expect(code).toBe(1)
  const line = logLines(stdout).at(-1)
  expect(line).toMatchObject({ level: 60, err: { message: 'a fault of ours', stack: expect.stringContaining('\n') } })
})

test('a broker whose log nobody reads goes on', async () => {
  const broker = await serve(await temporaryDirectory())
  broker.child.stdout?.destroy()
  const client = await Client.connect({ port: broker.port })
  for (let i = 0; i < 3; i++) {
    const peer = connect({ port: broker.port, host: '127.0.0.1' }).on('error', () => {})
    peer.write('GET / HTTP/1.1\r\n\r\n')
    await new Promise((resolve) => peer.once('close', resolve))
    expect(await client.metadata()).toEqual([])
  }
  await client.close()
  broker.signal('SIGTERM')
  expect((await broker.exited).code).toBe(0)
})

test('the default data directory lies where it was started', async () => {
  const directory = await temporaryDirectory()
  const broker = new CliProcess(['serve', '--port', '0'], { cwd: directory })
  await broker.outputMatching(LISTENING)
  expect(await readFile(join(directory, 'mykafka-data', '@broker', 'meta.properties'), 'utf8')).toMatch(/^version=1\n/)
})

test('a configuration file is read, and flags win over it', async () => {
  const directory = await temporaryDirectory()
  const file = join(directory, 'server.properties')
  const lines = [
    '# a broker for tests',
    `log.dirs=${join(directory, 'data')}`,
    'listeners = PLAINTEXT://127.0.0.1:1',
    'node.id: 7',
    'log.segment.bytes=1048576',
    'zero.copy=off',
  ]
  await writeFile(file, lines.join('\n'))
  const broker = new CliProcess(['serve', '--config', file, '--port', '0'])
  await broker.outputMatching(LISTENING)
  const meta = await readFile(join(directory, 'data', '@broker', 'meta.properties'), 'utf8')
  expect(meta).toContain('node.id=7\n')
})

test('a mistake in a configuration file: its place, and exit code 2', async () => {
  const file = join(await temporaryDirectory(), 'server.properties')
  await writeFile(file, '# first\n\nlog.segment.bytes=12\n')
  const wrong = await runCli(['serve', '--config', file])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toBe(
    `mykafka serve: ${file}:3: log.segment.bytes must be an integer from 1024 to 2147483647, not 12\n`,
  )
})

test('several listeners, and settings by their names in Kafka', async () => {
  const args = ['--override', 'listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT', '--override', 'node.id=9']
  const listeners = ['--listeners', 'A://127.0.0.1:0,B://127.0.0.1:0']
  const directory = await temporaryDirectory()
  const broker = new CliProcess(['serve', '--data-dir', directory, ...listeners, ...args])
  await broker.outputMatching(/^listening on 127\.0\.0\.1:\d+\nlistening on 127\.0\.0\.1:\d+\n/m)
  expect(await readFile(join(directory, '@broker', 'meta.properties'), 'utf8')).toContain('node.id=9\n')
})

test('what is asked for and not done is said', async () => {
  const settings = ['zookeeper.connect=x:1', 'num.io.threads=8', 'compression.zstd.level=5', 'log.segment.bytes=4096']
  const overrides = settings.flatMap((setting) => ['--override', setting])
  const broker = await serve(await temporaryDirectory(), ...overrides)
  broker.signal('SIGTERM')
  const warnings = logLines((await broker.exited).stdout).filter(({ level }) => level === 40)
  expect(warnings).toMatchObject([
    {
      msg: 'settings of Kafka that mean nothing here',
      settings: 'zookeeper.connect (there is no ZooKeeper), num.io.threads (threads are not set)',
    },
    { msg: 'settings that have no effect yet', settings: 'compression.zstd.level' },
  ])
})

test.each([
  [['--override', 'listeners=SSL://:0'], 'listeners: SSL would speak SSL: only PLAINTEXT is served'],
  [['--advertised-listeners', 'X://a:1'], 'advertised.listeners: X is not one of listeners'],
])('settings at odds: one line, and exit code 2: %s', async (args, reason) => {
  const wrong = await runCli(['serve', '--data-dir', await temporaryDirectory(), ...args])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toBe(`mykafka serve: ${reason}\n`)
})
