import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import {
  Client,
  connect as connectClient,
  type LogStorage,
  type SegmentStorage,
  type TopicStorage,
} from '../../../src/client/index.js'
import { startBroker } from '../../support/broker.js'
import { closedBehind } from '../../support/connected.js'
import { partitionFiles } from '../../support/data-directory.js'
import * as frames from '../../support/frames.js'
import { connect as connectKafka, kafkajs } from '../../support/kafkajs.js'
import type { Peer } from '../../support/peer.js'
import { temporaryDirectory } from '../../support/temporary.js'

const RECORDS = 40

const adminOf = (port: number) => closedBehind(connectClient({ brokers: `127.0.0.1:${port}` })).admin()

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
  expect(await client.describeStorage('t')).toEqual({ ...JSON.parse(json), now: expect.any(Number) })
  await client.close()
})

it('DESCRIBE_STORAGE knows how old segments are behind a restart', async () => {
  const { connect, dataDir, stop } = await startBroker({ segmentBytes: 1024, dataDir: await temporaryDirectory() })
  const peer = await connect()
  await peer.call(frames.createTopic('t', 1))
  for (let i = 0; i < RECORDS; i++) await peer.call(frames.produce('t', 0, [{ value: 'x'.repeat(80) }]))
  const times = async (of: Peer): Promise<unknown[]> => {
    const { json } = frames.readStorageDescribed(await of.call(frames.describeStorage('t')))
    const [partition] = (JSON.parse(json) as TopicStorage).partitions
    return partition?.offline === false ? partition.segments.map(({ largestTimestamp }) => largestTimestamp) : []
  }
  const before = await times(peer)
  expect(before.length).toBeGreaterThan(2)
  await stop()
  const again = await startBroker({ dataDir })
  expect(await times(await again.connect())).toEqual(before)
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

it('DESCRIBE_STORAGE says what keeps each segment, and what was removed', async () => {
  const { broker, port } = await startBroker({ retentionCheckIntervalMs: 50, segmentBytes: 1024 })
  const kafka = kafkajs(broker)
  const producer = await connectKafka(kafka.producer())
  const admin = await connectKafka(kafka.admin())
  const configEntries = [{ name: 'retention.ms', value: '3600000' }]
  await admin.createTopics({ topics: [{ topic: 't', numPartitions: 1, configEntries }] })
  const now = Date.now()
  const send = async (timestamp: number): Promise<void> => {
    await producer.send({ topic: 't', messages: [{ value: 'x'.repeat(900), timestamp: `${timestamp}` }] })
  }
  const hour = 3_600_000
  for (const timestamp of [now - 5 * hour, now - 4 * hour, now + 48 * hour, now - 3 * hour, now]) await send(timestamp)
  const client = await Client.connect({ port })
  const described = async (): Promise<LogStorage> => {
    const [partition] = (await client.describeStorage('t')).partitions
    if (partition === undefined || partition.offline) throw new Error('it is offline')
    return partition
  }
  const first = async (): Promise<number | undefined> => (await described()).segments[0]?.baseOffset
  await expect.poll(first, { timeout: 30_000 }).toBe(2)
  const { logStartOffset, lastRemoval, deletedFiles, segments } = await described()
  expect(logStartOffset).toBe(2)
  expect(lastRemoval?.reason).toMatch(/is older than retention\.ms \(1 h\)/)
  expect(deletedFiles).toBeGreaterThan(0)
  expect(segments.map(({ baseOffset, reason }) => `${baseOffset}: ${reason}`)).toEqual([
    expect.stringMatching(
      /^2: its newest record is from the future, .* ahead of the clock: it stays for retention\.ms/,
    ),
    expect.stringMatching(/^3: it is old enough to go, but the segment before it, of offset 2, is kept/),
    expect.stringMatching(
      /^4: the active segment; its newest record is of .*: it stays for retention\.ms \(1 h\), until /,
    ),
  ])
  await client.close()
})

it('DESCRIBE_STORAGE says how far a topic is compacted, and what is not', async () => {
  const { port } = await startBroker({ segmentBytes: 1024, logCleanerBackoffMs: 50 })
  const admin = adminOf(port)
  const configs = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01' }
  await admin.createTopic('t', { partitions: 1, configs })
  const client = await Client.connect({ port })
  const described = async (): Promise<LogStorage> => {
    const [partition] = (await client.describeStorage('t')).partitions
    if (partition === undefined || partition.offline) throw new Error('it is offline')
    return partition
  }
  for (let i = 0; i < RECORDS; i++) await client.produce('t', [{ key: `${i % 3}`, value: 'x'.repeat(80) }])
  const dirty = async (): Promise<number | undefined> => (await described()).compaction?.dirtyBytes
  await expect.poll(dirty, { timeout: 30_000 }).toBe(0)
  const { segments, compaction } = await described()
  const [first, active] = [segments[0] as SegmentStorage, segments.at(-1) as SegmentStorage]
  expect(compaction).toMatchObject({
    firstDirtyOffset: active.baseOffset,
    endOffset: active.baseOffset,
    dirtyRatio: 0,
    failure: null,
    last: { endOffset: active.baseOffset },
  })
  expect(compaction?.last?.bytesAfter).toBeLessThan(compaction?.last?.bytesBefore as number)
  expect(first.compactedAt).toBeGreaterThan(0)
  // All but the last of those that were compacted lost what they had to one behind them.
  expect(segments.at(-2)?.largestTimestamp).toBeGreaterThan(0)
  expect(first.reason).toMatch(/neither age nor size removes it; it is compacted$/)
  expect(active.compactedAt).toBeNull()
  expect(active.reason).toMatch(/compaction leaves the active segment alone$/)
  await admin.alterConfigs('t', { 'min.cleanable.dirty.ratio': '1' })
  for (let i = 0; i < RECORDS; i++) await client.produce('t', [{ key: `${i % 3}`, value: 'x'.repeat(80) }])
  const later = await described()
  expect(later.compaction?.dirtyRatio).toBeGreaterThan(0)
  expect(later.segments.at(-2)?.reason).toMatch(
    /the dirty ratio 0\.\d\d is not above min\.cleanable\.dirty\.ratio \(1\)$/,
  )
  await client.close()
})

it('DESCRIBE_STORAGE says where nothing compacts', async () => {
  const { port, connect } = await startBroker({ segmentBytes: 1024, logCleanerEnable: false })
  await adminOf(port).createTopic('t', { partitions: 1, configs: { 'cleanup.policy': 'compact,delete' } })
  const peer = await connect()
  for (let i = 0; i < RECORDS; i++) await peer.call(frames.produce('t', 0, [{ key: 'k', value: 'x'.repeat(80) }]))
  const { json } = frames.readStorageDescribed(await peer.call(frames.describeStorage('t')))
  expect((JSON.parse(json) as TopicStorage).partitions[0]).toMatchObject({
    compaction: { firstDirtyOffset: 0, last: null, failure: null },
    segments: expect.arrayContaining([
      expect.objectContaining({
        baseOffset: 0,
        reason: expect.stringMatching(
          /stays for retention\.ms \(7 d\).*; it is not compacted: log\.cleaner\.enable is false$/,
        ),
      }),
    ]),
  })
})
