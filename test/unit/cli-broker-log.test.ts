import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BrokerLog, type LogLine, type LogSink } from '../../src/cli/serve/broker-log.js'
import { writePlainLines } from '../../src/cli/serve/plain-lines.js'

/** A sink that keeps what it gets. */
function memorySink(): LogSink & { lines: string[]; times: number[] } {
  const lines: string[] = []
  const times: number[] = []
  return {
    lines,
    times,
    log: ({ level, message, time }) => {
      lines.push(`${level} ${message}`)
      times.push(time)
    },
    writeLine: (line) => lines.push(line),
    close: () => Promise.resolve(),
  }
}

test('lines wait for the sink, in order and with their times', async () => {
  const sink = memorySink()
  const log = new BrokerLog(() => Promise.resolve(sink))
  const before = Date.now()
  log.info({}, 'first')
  log.error({}, 'second')
  const after = Date.now()
  expect(sink.lines).toEqual([])
  await log.open()
  log.warn({}, 'third')
  expect(sink.lines).toEqual(['info first', 'error second', 'warn third'])
  for (const time of sink.times.slice(0, 2)) expect(time >= before && time <= after).toBe(true)
})

test('what was held and the announcement go out without the sink, which opens with the next line', async () => {
  const sink = memorySink()
  let opened = 0
  const log = new BrokerLog(() => {
    opened++
    return Promise.resolve(sink)
  })
  const written: string[] = []
  log.info({}, 'first')
  await log.announce('ready', (held, line) => {
    written.push(...held.map(({ message }) => message), line)
    return true
  })
  expect({ written, opened }).toEqual({ written: ['first', 'ready'], opened: 0 })
  log.info({}, 'second')
  log.info({}, 'third')
  await log.close()
  expect({ lines: sink.lines, opened }).toEqual({ lines: ['info second', 'info third'], opened: 1 })
})

test('where it cannot be written without the sink, the announcement stands behind what was held', async () => {
  const sink = memorySink()
  const log = new BrokerLog(() => Promise.resolve(sink))
  log.info({}, 'first')
  await log.announce('ready', () => false)
  log.info({}, 'second')
  expect(sink.lines).toEqual(['info first', 'ready', 'info second'])
})

test('fields that need a serializer are left to pino', () => {
  const line = (fields: object): LogLine => ({ level: 'info', time: 1, fields, message: 'm' })
  for (const fields of [{ err: new Error('x') }, { names: ['a'] }, { bytes: Number.NaN }, { msg: 'mine' }]) {
    expect(writePlainLines('info', [line(fields)], 'ready')).toBe(false)
  }
})

test('lines written without pino are what pino writes', () => {
  const script = fileURLToPath(new URL('../support/log-both-ways.ts', import.meta.url))
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const [plain, byPino] = stdout.split('ready\n')
  expect(plain?.split('\n')).toHaveLength(4)
  expect(byPino).toBe(plain)
})
