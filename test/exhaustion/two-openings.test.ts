import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connect } from '../../src/client/connect.js'
import { Log } from '../../src/log/log.js'
import { native } from '../../src/native/load.js'
import { startBroker } from '../support/broker.js'
import { BrokerProcess } from '../support/broker-process.js'
import { runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

const locked = (who: string) => ({
  code: 'DATA_DIR_LOCKED',
  message: expect.stringMatching(new RegExp(`is in use: ${who} holds .*lock$`)),
})

it('who holds a directory is said rightly where it is the same process', async () => {
  const here = locked('this process itself')
  const { dataDir } = await startBroker()
  await expect(startBroker({ dataDir })).rejects.toMatchObject(here)
  const engine = connect({ dataDir })
  await expect(engine.producer().send({ topic: 't', value: 'x' })).rejects.toMatchObject(here)
  await engine.close()
  // A partition of it is the broker's too.
  await expect(Log.open(join(dataDir, '__consumer_offsets', '0'))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })

  const directory = join(await temporaryDirectory(), 'log')
  const log = await Log.open(directory)
  await expect(Log.open(directory)).rejects.toMatchObject(here)
  await log.close()
  expect(native.isLockedHere(join(directory, 'lock'))).toBe(false)
  await (await Log.open(directory)).close()
})

it('a broker that was killed holds nothing; one that runs is named, and only looked at', async () => {
  const dataDir = await temporaryDirectory()
  const killed = await BrokerProcess.start({ dataDir })
  await killed.kill()
  const broker = await BrokerProcess.start({ dataDir })
  const other = locked(`another process( \\(${broker.pid}\\))?`)
  await expect(startBroker({ dataDir })).rejects.toMatchObject(other)
  const { code, stderr } = await runCli(['verify', dataDir])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/DATA_DIR_LOCKED: .* holds .*--live/) })
  expect(await broker.stop()).toEqual({ code: 0, signal: null })
})
