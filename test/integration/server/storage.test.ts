import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Client, type LogStorage } from '../../../src/client/index.js'
import { startBroker } from '../../support/broker.js'
import { partitionFiles } from '../../support/data-directory.js'
import * as frames from '../../support/frames.js'

const RECORDS = 40

it('DESCRIBE_STORAGE tells the segments as they lie on the disk', async () => {
  const { connect, dataDir, port } = await startBroker({ segmentBytes: 1024 })
  const peer = await connect()
  await peer.call(frames.createTopic('t', 2))
  const before = Date.now()
  for (let i = 0; i < RECORDS; i++) await peer.call(frames.produce('t', 1, [{ key: `${i}`, value: 'x'.repeat(80) }]))
  const { errorCode, json } = frames.readStorageDescribed(await peer.call(frames.describeStorage('t')))
  expect(errorCode).toBe(0)
  const { topic, partitions } = JSON.parse(json) as { topic: string; partitions: LogStorage[] }
  expect(topic).toBe('t')
  expect(partitions[0]).toMatchObject({ partition: 0, offline: false, logEndOffset: 0, bytes: 0 })
  const described = partitions[1] as LogStorage
  expect(described).toMatchObject({ partition: 1, offline: false, logStartOffset: 0, highWatermark: RECORDS })
  const files = await partitionFiles(dataDir, 't', 1, '.log')
  expect(files.length).toBeGreaterThan(2)
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  expect(described.segments.map(({ bytes }) => bytes)).toEqual(sizes)
  expect(described.bytes).toBe(sizes.reduce((sum, size) => sum + size))
  expect(described.segments.map(({ baseOffset }) => baseOffset)).toEqual(
    files.map((file) => Number(file.slice(-24, -4))),
  )
  for (const [index, segment] of described.segments.entries()) {
    expect(segment.nextOffset).toBe(described.segments[index + 1]?.baseOffset ?? RECORDS)
    expect(segment.active).toBe(index === files.length - 1)
    expect(segment.largestTimestamp).toBeGreaterThanOrEqual(before)
    expect(segment.reason).not.toBe('')
  }
  const client = await Client.connect({ port })
  expect(await client.describeStorage('t')).toEqual(JSON.parse(json))
  await client.close()
})

it('DESCRIBE_STORAGE of what is not there, or is one of the broker', async () => {
  const { connect } = await startBroker()
  const peer = await connect()
  expect(await peer.call(frames.describeStorage('no'))).toEqual(frames.frame(6, Buffer.from('0300000000', 'hex')))
  expect(await peer.call(frames.describeStorage(''))).toEqual(frames.frame(6, Buffer.from('0300000000', 'hex')))
  const own = frames.readStorageDescribed(await peer.call(frames.describeStorage('__consumer_offsets')))
  expect(own.errorCode).toBe(0)
})

it('DESCRIBE_STORAGE can be the first call of a connection', async () => {
  const { connect } = await startBroker()
  const peer = await connect()
  expect(frames.readStorageDescribed(await peer.call(frames.describeStorage('no'))).errorCode).toBe(3)
})
