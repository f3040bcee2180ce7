import { describe, expect, it } from 'vitest'
import { Admin } from '../../../src/client/admin/admin.js'
import { CONNECTION_KINDS, openedTransport } from '../../support/connected.js'

describe.each(CONNECTION_KINDS)('%s', (kind) => {
  it('topics are made, listed, described, grown and deleted', async () => {
    const admin = new Admin(await openedTransport(kind))
    expect(await admin.listTopics()).toEqual([])
    expect(await admin.createTopic('flights', { partitions: 2 })).toBe('created')
    expect(await admin.createTopic('flights', { partitions: 9 })).toBe('exists')
    // As many partitions as the broker's num.partitions says.
    expect(await admin.createTopic('airports')).toBe('created')
    expect(await admin.listTopics()).toEqual(['airports', 'flights'])
    const partition = { offline: false, logStartOffset: 0, highWatermark: 0 }
    expect(await admin.describeTopics(['flights'])).toEqual([
      {
        topic: 'flights',
        partitions: [
          { partition: 0, ...partition },
          { partition: 1, ...partition },
        ],
      },
    ])
    await admin.createPartitions('flights', 3)
    expect((await admin.describeTopics()).map(({ partitions }) => partitions.length)).toEqual([1, 3])
    expect(await admin.describeStorage('airports')).toMatchObject({ topic: 'airports', partitions: [{ partition: 0 }] })
    await admin.deleteTopic('flights')
    expect(await admin.listTopics()).toEqual(['airports'])
  })

  it('what is refused bears the name of Kafka, at once', async () => {
    const admin = new Admin(await openedTransport(kind))
    await admin.createTopic('t', { partitions: 2 })
    const unknown = { code: 'UNKNOWN_TOPIC_OR_PARTITION' }
    await expect(admin.describeTopics(['t', 'nope'])).rejects.toMatchObject(unknown)
    await expect(admin.deleteTopic('nope')).rejects.toMatchObject(unknown)
    await expect(admin.describeConfigs(['nope'])).rejects.toMatchObject(unknown)
    await expect(admin.listOffsets('nope', 'latest')).rejects.toMatchObject(unknown)
    await expect(admin.createPartitions('t', 2)).rejects.toMatchObject({ code: 'INVALID_PARTITIONS' })
    await expect(admin.createTopic('a/b', { partitions: 1 })).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' })
    await expect(admin.createTopic('a/b')).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' })
    await expect(admin.alterConfigs('t', { 'retention.ms': 'soon' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  it('configurations are set, shown with their source, and taken back', async () => {
    const admin = new Admin(await openedTransport(kind, {}, { properties: { 'log.retention.hours': '48' } }))
    await admin.createTopic('t', { configs: { 'segment.bytes': '65536' } })
    const configOf = async (name: string) => {
      const configs = await admin.describeConfigs(['t'])
      const found = configs.get('t')?.find((config) => config.name === name)
      return [found?.value, found?.source]
    }
    expect(await configOf('record.format')).toEqual(['mykafka', 'topic'])
    expect(await configOf('segment.bytes')).toEqual(['65536', 'topic'])
    expect(await configOf('retention.ms')).toEqual(['172800000', 'broker'])
    expect(await configOf('segment.ms')).toEqual(['604800000', 'default'])
    await admin.alterConfigs('t', { 'retention.ms': '1000', 'segment.bytes': null })
    expect(await configOf('retention.ms')).toEqual(['1000', 'topic'])
    expect(await configOf('segment.bytes')).toEqual(['1073741824', 'default'])
    const broker = await admin.describeBrokerConfigs()
    expect(broker.find(({ name }) => name === 'log.retention.hours')).toMatchObject({ value: '48', source: 'broker' })
  })

  it('offsets of the ends, and of a time', async () => {
    const transport = await openedTransport(kind)
    const admin = new Admin(transport)
    await admin.createTopic('t', { partitions: 2 })
    const client = await transport.client()
    await client.produce('t', [{ value: 'a' }, { value: 'b' }], { partition: 0 })
    expect(await admin.listOffsets('t', 'earliest')).toEqual(
      new Map([
        [0, 0],
        [1, 0],
      ]),
    )
    expect(await admin.listOffsets('t', 'latest')).toEqual(
      new Map([
        [0, 2],
        [1, 0],
      ]),
    )
    const [, last] = await client.fetch('t', 0, 0)
    const { timestamp = 0 } = last ?? {}
    expect((await admin.listOffsets('t', { timestamp: timestamp + 1 })).get(0)).toBeNull()
    expect((await admin.listOffsets('t', { timestamp: 0 })).get(0)).toBe(0)
    await expect(admin.listOffsets('t', { timestamp: -1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('an abort ends the waiting, and behind close nothing is asked', async () => {
    const admin = new Admin(await openedTransport(kind))
    await expect(admin.listTopics({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await admin.listTopics({ signal: new AbortController().signal })).toEqual([])
    await admin.close()
    expect(admin.closed).toBe(true)
    await expect(admin.listTopics()).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  })
})

it.each([{ retries: -1 }, { defaultApiTimeoutMs: 0 }])('%o is refused', async (options) => {
  const transport = await openedTransport('brokers')
  expect(() => new Admin(transport, options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
})
