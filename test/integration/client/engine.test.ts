import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTransport } from '../../../src/client/connect.js'
import type { Transport } from '../../../src/client/transport.js'
import { startBroker } from '../../support/broker.js'
import { closedBehind } from '../../support/connected.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'

const engineIn = (dataDir: string, logger = memoryLogger()): Transport =>
  closedBehind(openTransport({ dataDir, logger }))

it('an engine is opened by the first call', async () => {
  const dataDir = join(await temporaryDirectory(), 'data')
  const transport = engineIn(dataDir)
  await expect(access(dataDir)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await (await transport.client()).metadata()).toEqual([])
  await access(dataDir)
})

it('an engine that is closed leaves a clean directory to the next', async () => {
  const dataDir = await temporaryDirectory()
  const first = engineIn(dataDir)
  const client = await first.client()
  await client.createTopic('t', 1)
  const sent = client.produce('t', [{ value: 'a' }])
  await sent
  await first.close()
  const { connect, logger } = await startBroker({ dataDir })
  expect(logger.lines.map(({ message }) => message).filter((message) => /recover/.test(message))).toEqual([])
  await connect()
})

it('a directory that another engine has is refused, until that one is closed', async () => {
  const dataDir = await temporaryDirectory()
  const [first, second] = [engineIn(dataDir), engineIn(dataDir)]
  await first.client()
  await expect(second.client()).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED', retriable: false })
  await first.close()
  expect(await (await second.client()).metadata()).toEqual([])
})

it('closing while the engine opens waits for it, and lets go of the directory', async () => {
  const dataDir = await temporaryDirectory()
  const first = engineIn(dataDir)
  const asked = first.client()
  await first.close()
  await expect(asked).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  expect(await (await engineIn(dataDir).client()).metadata()).toEqual([])
})

it('what was asked before a close is done, though nobody hears of it', async () => {
  const dataDir = await temporaryDirectory()
  const first = engineIn(dataDir)
  const client = await first.client()
  await client.createTopic('t', 1)
  const sent = client.produce('t', [{ value: Buffer.alloc(1 << 20) }])
  // The frame goes out at the end of this turn.
  await new Promise((resolve) => process.nextTick(resolve))
  await first.close()
  await expect(sent).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  const [topic] = await (await engineIn(dataDir).client()).metadata('t')
  expect(topic?.partitions[0]?.highWatermark).toBe(1)
})

it('whoever asks on and on leaves the event loop its turns', async () => {
  const client = await engineIn(await temporaryDirectory()).client()
  const giveUp = performance.now() + 20_000
  let elsewhere = false
  setTimeout(() => {
    elsewhere = true
  }, 5)
  while (!elsewhere && performance.now() < giveUp) await client.metadata()
  expect(elsewhere).toBe(true)
})
