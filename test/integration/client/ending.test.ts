import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type ConnectOptions, openTransport } from '../../../src/client/connect.js'
import { startBroker } from '../../support/broker.js'
import { requireCurrentDist } from '../../support/cli-process.js'
import { CONNECTION_KINDS, closedBehind } from '../../support/connected.js'
import { deadPort } from '../../support/dead-port.js'
import { temporaryDirectory } from '../../support/temporary.js'

const PROGRAM = fileURLToPath(new URL('../../support/client-program.mjs', import.meta.url))

/** Runs the program to its end, which it finds by itself and in peace. */
async function run(how: string, target: string | number): Promise<void> {
  requireCurrentDist()
  const child = spawn(process.execPath, [PROGRAM, how, String(target)], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ stderr, code, signal }).toEqual({ stderr: '', code: 0, signal: null })
}

/** A broker, or the directory of an engine, with a topic `t`; `logEnd` tells how many records it has. */
async function withTopic(kind: 'brokers' | 'dataDir') {
  const directory = await temporaryDirectory()
  const broker = kind === 'brokers' ? (await startBroker()).broker : null
  const options: ConnectOptions = broker ? { brokers: broker.bootstrapServers } : { dataDir: directory }
  const transport = openTransport(options)
  await (await transport.client()).createTopic('t', 1)
  await transport.close()
  const logEnd = async () => {
    const [topic] = await (await closedBehind(openTransport(options)).client()).metadata('t')
    return topic?.partitions[0]?.highWatermark
  }
  return { target: broker?.port ?? directory, logEnd }
}

describe.each(CONNECTION_KINDS)('a program with a client by %s', (kind) => {
  it('that awaits nothing and closes nothing ends when all is sent', async () => {
    const { target, logEnd } = await withTopic(kind)
    await run('leaves', target)
    expect(await logEnd()).toBe(10)
  })

  it('that closes, and awaits nothing, ends when all is sent', async () => {
    const { target, logEnd } = await withTopic(kind)
    await run('closes', target)
    expect(await logEnd()).toBe(10)
  })
})

it('a program whose broker is not there ends: it finds nobody, it gives up, or it aborts', async () => {
  const port = await deadPort()
  await Promise.all(['finds nobody', 'gives up', 'aborts'].map((how) => run(how, port)))
})
