import { access, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { Client } from '../../../src/client/index.js'
import type { BrokerOptions } from '../../../src/server/broker.js'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('without a data directory has one of its own, which goes with it', async () => {
  const broker = await startBroker()
  expect(dirname(broker.dataDir)).toBe(tmpdir())
  await (await broker.connect()).call(frames.createTopic('t', 2))
  expect((await readdir(broker.dataDir)).sort()).toEqual(['@broker', '__cluster_metadata', '__consumer_offsets', 't'])
  await broker.stop()
  await expect(access(broker.dataDir)).rejects.toMatchObject({ code: 'ENOENT' })
})

it('on a port that is taken fails with the system’s error, and leaves the directory free and clean', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const dataDir = await temporaryDirectory()
  await expect(startBroker({ dataDir, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const broker = await startBroker({ dataDir })
  expect(broker.logger.messages('warn')).toEqual([])
  taken.close()
})

it('makes its data directory, however deep', async () => {
  const dataDir = join(await temporaryDirectory(), 'a', 'b', 'c')
  await startBroker({ dataDir })
  await access(join(dataDir, '@broker', 'meta.properties'))
})

it('without its own directory has every record again', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await startBroker({ dataDir })
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 1))
  await peer.call(frames.produce('t', 0, [{ key: 'k', value: 'v' }]))
  const before = await peer.call(frames.fetch('t', 0, 0))
  await broker.stop()
  await rm(join(dataDir, '@broker'), { recursive: true })
  const again = await startBroker({ dataDir })
  expect(await (await again.connect()).call(frames.fetch('t', 0, 0))).toEqual(before)
  expect(again.logger.messages('warn')).toEqual([expect.stringContaining('meta.properties was missing')])
})

it.each([
  { port: -1 },
  { port: 65_536 },
  { segmentBytes: 1023 },
  { segmentBytes: 2 ** 31 },
  { indexIntervalBytes: -1 },
  { maxFrameBytes: 10 },
  { maxConnections: 0 },
  { maxIdleMs: 0.5 },
  { stallTimeoutMs: Number.NaN },
  { partitioner: 'md5' },
  { fsync: 'sometimes' },
] as unknown as BrokerOptions[])('refuses %j, and makes nothing', async (options) => {
  const dataDir = join(await temporaryDirectory(), 'data')
  await expect(startBroker({ dataDir, ...options })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  expect(await readdir(dirname(dataDir))).not.toContain(basename(dataDir))
})

const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

it.runIf(hasIPv6)('listens on an address of the other family', async () => {
  const { broker, port } = await startBroker({ host: '::1' })
  expect(broker.bootstrapServers).toBe(`[::1]:${port}`)
  const client = await Client.connect({ host: '::1', port })
  expect(await client.createTopic('t', 1)).toBe('created')
  await client.close()
})
