import { access, mkdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

const CHECKPOINT = 'recovery-point-offset-checkpoint'

it('recovery points that could not be written once are written the next time', async () => {
  const dataDir = await temporaryDirectory()
  const state = (name: string): string => join(dataDir, '@broker', name)
  const broker = await startBroker({ dataDir, fsync: 'acks', flushIntervalMs: 10 })
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  const failures = (): number =>
    broker.logger.messages('error').filter((message) => message === 'the recovery points could not be written').length
  // In the way of the file that is renamed into place, as soon as that one is not there.
  await vi.waitFor(() => mkdir(state(`${CHECKPOINT}.tmp`)), { interval: 1 })
  await peer.call(frames.produce('t', 0, [{ value: 'x' }]))
  await expect.poll(failures).toBeGreaterThan(1)
  await rmdir(state(`${CHECKPOINT}.tmp`))
  await peer.call(frames.produce('t', 0, [{ value: 'y' }]))
  await expect.poll(() => readFile(state(CHECKPOINT), 'utf8')).toContain('\nt 0 2\n')
  await broker.stop()
  await access(state('clean-shutdown'))
  const again = await startBroker({ dataDir })
  expect(again.logger.messages('warn')).toEqual([])
})
