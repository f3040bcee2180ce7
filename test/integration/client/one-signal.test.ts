import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../src/client/client.js'
import type { Kafka } from '../../../src/client/connect.js'
import { connected } from '../../support/connected.js'
import { scriptedBroker } from '../../support/scripted-broker.js'

/** More than Node.js takes for no leak. */
const MANY = 20

type Call = (kafka: Kafka, signal: AbortSignal, silentPort: number) => Promise<unknown>

// A record waits for the end of lingerMs.
const calls: [string, Call][] = [
  ['send', (kafka, signal) => kafka.producer({ lingerMs: 60_000 }).send({ topic: 't', value: 'x' }, { signal })],
  ['flush', (kafka, signal) => kafka.producer().flush({ signal })],
  ['close of a producer', (kafka, signal) => kafka.producer().close({ signal })],
  ['close', (kafka, signal) => kafka.close({ signal })],
  ['a question of an admin', (kafka, signal) => kafka.admin().listTopics({ signal })],
  ['connect', (_, signal, port) => Client.connect({ port, signal }).then((client) => client.close())],
]

it.each(calls)('many calls under the one signal of a program warn of nothing: %s', async (_, call) => {
  const warnings: Error[] = []
  const note = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const kafka = await connected('dataDir')
  const port = await scriptedBroker(() => {})
  const controller = new AbortController()
  const calls = Array.from({ length: MANY }, () => call(kafka, controller.signal, port))
  await turn()
  controller.abort()
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ABORTED' })
  }
  await turn()
  expect(warnings).toEqual([])
})
