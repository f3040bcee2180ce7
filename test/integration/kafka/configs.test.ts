import { describe, expect, it } from 'vitest'
import { alterConfigsApi } from '../../../src/wire/kafka/generated/alter-configs.js'
import { describeConfigsApi } from '../../../src/wire/kafka/generated/describe-configs.js'
import { incrementalAlterConfigsApi } from '../../../src/wire/kafka/generated/incremental-alter-configs.js'
import { BROKER, configsOf, makeTopic, TOPIC } from '../../support/admin-requests.js'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3]
const BROKER_LOGGER = 8

/** What a topic does not have from the broker. */
async function ownConfigs(peer: KafkaPeer, topic: string): Promise<Record<string, string | null>> {
  const { results } = await peer.call(describeConfigsApi, 4, configsOf(TOPIC, topic))
  const own = results[0]?.configs.filter(({ configSource }) => configSource === 1) ?? []
  return Object.fromEntries(own.map(({ name, value }) => [name, value]))
}

describe('DescribeConfigs', () => {
  it.each([0, 1, 2, 3, 4])('%i tells what configurations a topic has, and where from', async (version) => {
    const { port } = await startBroker({ segmentBytes: 5000 })
    const peer = await KafkaPeer.connect(port)
    await makeTopic(peer, 't', 1, { 'retention.ms': '77' })
    const names = ['retention.ms', 'segment.bytes', 'cleanup.policy', 'record.format', 'nonsense']
    const { results } = await peer.call(describeConfigsApi, version, configsOf(TOPIC, 't', names))
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({ errorCode: 0, resourceType: TOPIC, resourceName: 't' })
    const configs = new Map(results[0]?.configs.map((config) => [config.name, config]))
    expect([...configs.keys()].sort()).toEqual(names.filter((name) => name !== 'nonsense').sort())
    expect(configs.get('retention.ms')).toMatchObject({ value: '77', readOnly: false, isSensitive: false })
    expect(configs.get('segment.bytes')).toMatchObject({ value: '5000' })
    expect(configs.get('cleanup.policy')).toMatchObject({ value: 'delete' })
    expect(configs.get('record.format')).toMatchObject({ value: 'kafka', readOnly: true })
    if (version === 0) {
      expect(['retention.ms', 'segment.bytes', 'cleanup.policy'].map((name) => configs.get(name)?.isDefault)).toEqual([
        false,
        false,
        true,
      ])
      return
    }
    expect(names.slice(0, 3).map((name) => configs.get(name)?.configSource)).toEqual([1, 4, 5])
    expect(configs.get('segment.bytes')?.synonyms).toEqual([
      { name: 'log.segment.bytes', value: '5000', source: 4 },
      { name: 'log.segment.bytes', value: '1073741824', source: 5 },
    ])
    expect(configs.get('retention.ms')?.synonyms[0]).toEqual({ name: 'retention.ms', value: '77', source: 1 })
    if (version < 3) return
    expect(configs.get('retention.ms')).toMatchObject({ configType: 5, documentation: expect.stringMatching(/kept/) })
    expect(configs.get('cleanup.policy')?.configType).toBe(7)
  })

  it('tells what settings the broker has, and where from', async () => {
    const { broker, port, dataDir } = await startBroker({
      numPartitions: 3,
      properties: { 'log.retention.hours': '1', 'log.retention.minutes': '2', 'broker.rack': 'shelf' },
    })
    const peer = await KafkaPeer.connect(port)
    const [result] = (await peer.call(describeConfigsApi, 4, configsOf(BROKER, String(broker.nodeId)))).results
    const configs = new Map(result?.configs.map((config) => [config.name, config]))
    const seen = (name: string) => [configs.get(name)?.value, configs.get(name)?.configSource]
    expect(seen('num.partitions')).toEqual(['3', 4])
    expect(seen('broker.rack')).toEqual(['shelf', 4])
    expect(seen('log.dirs')).toEqual([dataDir, 4])
    expect(seen('log.retention.minutes')).toEqual(['2', 4])
    expect(seen('log.retention.ms')).toEqual([null, 5])
    expect(seen('auto.create.topics.enable')).toEqual(['true', 5])
    expect(result?.configs.every(({ readOnly }) => readOnly)).toBe(true)
    await makeTopic(peer, 't')
    const [topic] = (await peer.call(describeConfigsApi, 4, configsOf(TOPIC, 't', ['retention.ms']))).results
    expect(topic?.configs[0]).toMatchObject({
      value: '120000',
      configSource: 4,
      synonyms: [
        { name: 'log.retention.minutes', value: '2', source: 4 },
        { name: 'log.retention.hours', value: '1', source: 4 },
        { name: 'log.retention.hours', value: '168', source: 5 },
      ],
    })
  })

  it('lists all of them where no names are given, and says nothing more than it is asked', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    await makeTopic(peer, 't')
    for (const names of [null, []]) {
      const request = { ...configsOf(TOPIC, 't', names), includeSynonyms: false, includeDocumentation: false }
      const [result] = (await peer.call(describeConfigsApi, 4, request)).results
      expect(result?.configs.length).toBeGreaterThan(35)
      for (const { synonyms, documentation } of result?.configs ?? []) {
        expect(synonyms).toEqual([])
        expect(documentation).toBe(null)
      }
    }
  })

  it.each([
    [TOPIC, 'missing', 3],
    [TOPIC, 'no name', 17],
    [BROKER, '2', 42],
    [BROKER, 'x', 42],
    [BROKER, '', 0],
    [BROKER_LOGGER, '1', 42],
    [0, 'x', 42],
  ])('of a resource %i named "%s" answers %i', async (type, name, code) => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const { results } = await peer.call(describeConfigsApi, 4, configsOf(type, name))
    expect(results).toMatchObject([{ errorCode: code, resourceType: type, resourceName: name, configs: [] }])
  })
})

describe('AlterConfigs', () => {
  const altered = (resourceType: number, resourceName: string, configs: Record<string, string | null>) => ({
    resourceType,
    resourceName,
    configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
  })

  it.each([0, 1, 2])('%i leaves a topic with what is listed', async (version) => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    await makeTopic(peer, 't', 1, { 'retention.ms': '77', 'flush.ms': '5' })
    const resources = [altered(TOPIC, 't', { 'retention.ms': '88', 'segment.bytes': '2048' })]
    const looked = await peer.call(alterConfigsApi, version, { resources, validateOnly: true })
    expect(looked.responses).toEqual([{ errorCode: 0, errorMessage: null, resourceType: TOPIC, resourceName: 't' }])
    expect(await ownConfigs(peer, 't')).toEqual({ 'retention.ms': '77', 'flush.ms': '5' })
    await peer.call(alterConfigsApi, version, { resources, validateOnly: false })
    expect(await ownConfigs(peer, 't')).toEqual({ 'retention.ms': '88', 'segment.bytes': '2048' })
  })

  it('refuses each resource for itself', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    for (const name of ['a', 'b', 'c', 'd']) await makeTopic(peer, name)
    const resources = [
      altered(TOPIC, 'a', { 'retention.ms': '5' }),
      altered(TOPIC, 'b', { 'retention.ms': 'x' }),
      altered(TOPIC, 'c', { 'retention.ms': null }),
      altered(TOPIC, 'missing', {}),
      altered(TOPIC, 'd', {}),
      altered(TOPIC, 'd', { 'retention.ms': '5' }),
      altered(BROKER, '1', { 'log.retention.ms': '5' }),
      altered(BROKER, '9', {}),
      altered(BROKER_LOGGER, '1', { root: 'DEBUG' }),
    ]
    const { responses } = await peer.call(alterConfigsApi, 2, { resources, validateOnly: false })
    expect(responses.map(({ resourceName, errorCode }) => [resourceName, errorCode])).toEqual([
      ['a', 0],
      ['b', 40],
      ['c', 42],
      ['missing', 3],
      ['d', 42],
      ['d', 42],
      ['1', 42],
      ['9', 42],
      ['1', 42],
    ])
    expect(responses[1]?.errorMessage).toBe('retention.ms must be an integer from -1 to 9223372036854775807, not x')
    expect(responses[6]?.errorMessage).toBe("a running broker's settings cannot be changed: log.retention.ms")
    expect(await ownConfigs(peer, 'a')).toEqual({ 'retention.ms': '5' })
    expect(await ownConfigs(peer, 'd')).toEqual({})
  })
})

describe('IncrementalAlterConfigs', () => {
  const change = (name: string, configOperation: number | undefined, value: string | null = null) => ({
    name,
    configOperation: configOperation as number,
    value,
  })
  const onTopic = (...configs: ReturnType<typeof change>[]) => ({
    resources: [{ resourceType: TOPIC, resourceName: 't', configs }],
    validateOnly: false,
  })

  it.each([0, 1])('%i sets, deletes, adds to a list and takes out of it', async (version) => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    await makeTopic(peer, 't', 1, { 'retention.ms': '77', 'flush.ms': '5' })
    const alter = async (...configs: ReturnType<typeof change>[]) =>
      (await peer.call(incrementalAlterConfigsApi, version, onTopic(...configs))).responses[0]?.errorCode
    expect(await alter(change('retention.ms', SET, '88'), change('flush.ms', DELETE))).toBe(0)
    expect(await ownConfigs(peer, 't')).toEqual({ 'retention.ms': '88' })
    // To what the list is without a value of the topic's own.
    expect(await alter(change('cleanup.policy', APPEND, 'compact'))).toBe(0)
    expect(await ownConfigs(peer, 't')).toEqual({ 'retention.ms': '88', 'cleanup.policy': 'delete,compact' })
    expect(await alter(change('cleanup.policy', APPEND, 'compact'))).toBe(0)
    expect(await alter(change('cleanup.policy', SUBTRACT, 'delete,other'))).toBe(0)
    expect(await ownConfigs(peer, 't')).toEqual({ 'retention.ms': '88', 'cleanup.policy': 'compact' })
    expect(await alter(change('retention.ms', APPEND, '1'))).toBe(40)
    expect(await alter(change('cleanup.policy', APPEND, 'burn'))).toBe(40)
    expect(await alter(change('retention.ms', SET))).toBe(42)
    expect(await alter(change('retention.ms', 9, '1'))).toBe(42)
    expect(await alter(change('flush.ms', SET, '1'), change('flush.ms', DELETE))).toBe(42)
    expect(await alter(change('flush.ms', SET, '1'), change('nonsense', SET, '1'))).toBe(40)
    expect(await ownConfigs(peer, 't')).toEqual({ 'retention.ms': '88', 'cleanup.policy': 'compact' })
  })

  it('only looks where it is asked to', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    await makeTopic(peer, 't')
    const request = { ...onTopic(change('flush.ms', SET, '1')), validateOnly: true }
    expect((await peer.call(incrementalAlterConfigsApi, 1, request)).responses[0]?.errorCode).toBe(0)
    expect(await ownConfigs(peer, 't')).toEqual({})
  })
})

describe('a changed configuration has its effect at once', () => {
  it.each(['kafka', 'mykafka'])('on a topic of format %s: max.message.bytes', async (format) => {
    const broker = await startBroker()
    const peer = await KafkaPeer.connect(broker.port)
    await makeTopic(peer, 't', 1, { 'record.format': format })
    const producer = await broker.connect()
    const produce = async () =>
      frames.readProduced(await producer.call(frames.produce('t', 0, [{ value: 'x'.repeat(500) }]))).errorCode
    expect(await produce()).toBe(0)
    const configs = [{ name: 'max.message.bytes', value: '300' }]
    const resources = [{ resourceType: TOPIC, resourceName: 't', configs }]
    await peer.call(alterConfigsApi, 2, { resources, validateOnly: false })
    expect(await produce()).toBe(10)
    await peer.call(alterConfigsApi, 2, { resources: [{ ...resources[0], configs: [] } as never], validateOnly: false })
    expect(await produce()).toBe(0)
  })
})
