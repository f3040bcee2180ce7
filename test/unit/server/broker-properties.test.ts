import { describe, expect, it } from 'vitest'
import { DEFAULT_BROKER_CONFIG } from '../../../src/server/broker-config.js'
import { dataDirectoryOf, undoneProperties } from '../../../src/server/broker-properties.js'
import { BROKER_SETTINGS } from '../../../src/server/broker-settings.js'
import { resolveBrokerConfig, topicDefaults } from '../../../src/server/resolve-broker-config.js'

const resolved = (properties: Record<string, string>) => resolveBrokerConfig({ properties })

it("Kafka's names become settings", () => {
  const properties = {
    listeners: 'PLAINTEXT://broker.example:9093',
    'node.id': '3',
    'log.segment.bytes': '1048576',
    'log.index.interval.bytes': '8192',
    'log.index.size.max.bytes': '1024',
    'log.flush.offset.checkpoint.interval.ms': '1000',
    'max.connections': '5',
    'connections.max.idle.ms': '1000',
    'socket.request.max.bytes': ' 2048 ',
    'auto.create.topics.enable': 'FALSE',
    'num.partitions': '6',
    'broker.rack': 'shelf',
    'offsets.commit.required.acks': '-1',
    'group.initial.rebalance.delay.ms': '3000',
    fsync: 'always',
    'zero.copy': 'off',
    partitioner: 'java-hash',
  }
  expect(resolved(properties)).toEqual({
    ...DEFAULT_BROKER_CONFIG,
    properties,
    host: 'broker.example',
    port: 9093,
    listeners: [{ name: 'PLAINTEXT', host: 'broker.example', port: 9093 }],
    nodeId: 3,
    segmentBytes: 1048576,
    indexIntervalBytes: 8192,
    segmentIndexBytes: 1024,
    flushIntervalMs: 1000,
    maxConnections: 5,
    maxIdleMs: 1000,
    maxFrameBytes: 2048,
    autoCreateTopicsEnable: false,
    numPartitions: 6,
    rack: 'shelf',
    offsetsCommitRequiredAcks: 'all',
    groupInitialRebalanceDelayMs: 3000,
    fsync: 'always',
    zeroCopy: false,
    partitioner: 'java-hash',
  })
})

it('takes the default of each setting for itself', () => {
  for (const [name, { default: unset }] of BROKER_SETTINGS) {
    if (unset !== null) expect(() => resolved({ [name]: unset }), name).not.toThrow()
  }
})

it('a field wins over a name of Kafka, on the first listener too', () => {
  const properties = {
    'node.id': '3',
    listeners: 'A://x:1,B://y:2',
    'listener.security.protocol.map': 'A:PLAINTEXT,B:PLAINTEXT',
  }
  expect(resolveBrokerConfig({ properties, nodeId: 5, port: 7 })).toMatchObject({
    nodeId: 5,
    host: 'x',
    port: 7,
    listeners: [
      { name: 'A', host: 'x', port: 7 },
      { name: 'B', host: 'y', port: 2 },
    ],
  })
})

it('broker.id is node.id, unless that is given', () => {
  expect(resolved({ 'broker.id': '4' }).nodeId).toBe(4)
  expect(resolved({ 'broker.id': '-1' }).nodeId).toBe(1)
  expect(resolved({ 'broker.id': '4', 'node.id': '5' }).nodeId).toBe(5)
})

it('log.dirs goes before log.dir', () => {
  expect(dataDirectoryOf({ 'log.dir': '/a' })).toBe('/a')
  expect(dataDirectoryOf({ 'log.dir': '/a', 'log.dirs': '/b' })).toBe('/b')
  expect(dataDirectoryOf({})).toBeUndefined()
})

it('topics have what the settings of the same say, in milliseconds, the finest unit first', () => {
  const of = (properties: Record<string, string>) => topicDefaults(resolved(properties)).config
  expect(of({ 'log.retention.hours': '2' })['retention.ms']).toBe('7200000')
  expect(of({ 'log.retention.minutes': '3', 'log.retention.hours': '2' })['retention.ms']).toBe('180000')
  expect(of({ 'log.retention.ms': '5', 'log.retention.minutes': '3' })['retention.ms']).toBe('5')
  expect(of({ 'log.retention.hours': '-1' })['retention.ms']).toBe('-1')
  expect(of({ 'log.roll.hours': '1', 'log.cleanup.policy': 'compact' })).toMatchObject({
    'segment.ms': '3600000',
    'cleanup.policy': 'compact',
  })
  expect(of({ 'message.max.bytes': '77' })['max.message.bytes']).toBe('77')
})

describe('listeners', () => {
  const listeners = (properties: Record<string, string>) => resolved(properties).listeners

  it('without a host listen on any address; an address in brackets is IPv6', () => {
    expect(listeners({ listeners: 'PLAINTEXT://:9092' })).toEqual([{ name: 'PLAINTEXT', host: '0.0.0.0', port: 9092 }])
    expect(listeners({ listeners: 'PLAINTEXT://[::1]:0' })).toEqual([{ name: 'PLAINTEXT', host: '::1', port: 0 }])
  })

  it("of controllers are left out: Kafka's own example file starts a broker", () => {
    const config = resolved({
      'process.roles': 'broker,controller',
      'node.id': '1',
      'controller.quorum.voters': '1@localhost:9093',
      listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      'inter.broker.listener.name': 'PLAINTEXT',
      'advertised.listeners': 'PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093',
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map':
        'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL',
      'num.network.threads': '3',
      'num.io.threads': '8',
      'socket.send.buffer.bytes': '102400',
      'socket.receive.buffer.bytes': '102400',
      'socket.request.max.bytes': '104857600',
      'log.dirs': '/tmp/kraft-combined-logs',
      'num.partitions': '1',
      'num.recovery.threads.per.data.dir': '1',
      'offsets.topic.replication.factor': '1',
      'transaction.state.log.replication.factor': '1',
      'transaction.state.log.min.isr': '1',
      'share.coordinator.state.topic.replication.factor': '1',
      'share.coordinator.state.topic.min.isr': '1',
      'log.retention.hours': '168',
      'log.segment.bytes': '1073741824',
      'log.retention.check.interval.ms': '300000',
    })
    expect(config.listeners).toEqual([{ name: 'PLAINTEXT', host: '0.0.0.0', port: 9092 }])
    expect(config.advertisedListeners).toEqual([{ name: 'PLAINTEXT', host: 'localhost', port: 9092 }])
    expect(undoneProperties(config.properties).waiting).toEqual([])
  })

  it.each([
    [{ listeners: 'SSL://:9093' }, 'listeners: SSL would speak SSL: only PLAINTEXT is served'],
    [{ listeners: 'X://:1' }, 'listeners: listener.security.protocol.map does not say what X speaks'],
    [{ listeners: 'localhost:9092' }, 'listeners must be a list of NAME://HOST:PORT, not localhost:9092'],
    [{ listeners: 'PLAINTEXT://a:65536' }, 'port must be an integer from 0 to 65535, not 65536'],
    [{ listeners: 'C://:1', 'controller.listener.names': 'C' }, 'listeners: there is none for clients'],
    [{ 'listener.security.protocol.map': 'A', listeners: 'A://:1' }, 'must be a list of NAME:PROTOCOL, not A'],
    [{ 'advertised.listeners': 'PLAINTEXT://:1' }, 'advertised.listeners: clients cannot connect to 0.0.0.0:1'],
  ])('that cannot be are refused: %j', (properties, message) => {
    expect(() => resolved(properties as unknown as Record<string, string>)).toThrow(message)
  })
})

describe('what is not done', () => {
  it('is told, with why; what has its default anyway is not', () => {
    const { ignored, waiting } = undoneProperties({
      'zookeeper.connect': 'localhost:2181',
      'num.io.threads': '8',
      'num.network.threads': '3',
      'sasl.enabled.mechanisms': 'PLAIN',
      'log.preallocate': 'true',
      'log.segment.delete.delay.ms': '60000',
      'compression.zstd.level': '5',
      'log.retention.bytes': '-1',
      'node.id': '1',
    })
    expect(ignored).toEqual([
      'zookeeper.connect (there is no ZooKeeper)',
      'num.io.threads, num.network.threads (threads are not set)',
      'sasl.enabled.mechanisms (only PLAINTEXT is served)',
      'log.preallocate (Whether segment files are allocated ahead. Here indexes are, and logs are not.)',
    ])
    expect(waiting).toEqual(['compression.zstd.level'])
  })

  it.each([
    ['authorizer.class.name', 'org.apache.kafka.metadata.authorizer.StandardAuthorizer'],
    ['security.inter.broker.protocol', 'SSL'],
    ['ssl.client.auth', 'required'],
    ['create.topic.policy.class.name', 'x.Y'],
    ['remote.log.storage.system.enable', 'true'],
    ['default.replication.factor', '3'],
    ['num.partition', '3'],
  ])('and must not be ignored, or is not known, is refused: %s=%s', (name, value) => {
    expect(() => resolved({ [name]: value })).toThrow(name)
  })

  it('is not refused where it asks for nothing', () => {
    expect(() => resolved({ 'authorizer.class.name': '', 'ssl.client.auth': 'none' })).not.toThrow()
  })
})
