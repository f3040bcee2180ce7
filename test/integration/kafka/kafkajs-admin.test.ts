import { AclResourceTypes, type Admin, ConfigResourceTypes, ConfigSource, type KafkaJSProtocolError } from 'kafkajs'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import { connect, kafkajs } from '../../support/kafkajs.js'

async function admin(options: Parameters<typeof startBroker>[0] = {}): Promise<Admin> {
  const { broker } = await startBroker(options)
  return await connect(kafkajs(broker).admin())
}

const refused = (promise: Promise<unknown>, type: string) =>
  expect(promise).rejects.toSatisfy((error: Error & { errors?: KafkaJSProtocolError[] }) => {
    const [cause] = error.errors ?? [error]
    return (cause as KafkaJSProtocolError).type === type
  })

it('creates, lists, describes, lets grow and deletes topics', async () => {
  const client = await admin({ numPartitions: 2 })
  expect(
    await client.createTopics({
      topics: [
        { topic: 'a', numPartitions: 3 },
        { topic: 'b', configEntries: [{ name: 'cleanup.policy', value: 'compact' }] },
        { topic: 'c', replicaAssignment: [{ partition: 0, replicas: [1] }] },
      ],
    }),
  ).toBe(true)
  expect(await client.createTopics({ topics: [{ topic: 'a' }] })).toBe(false)
  expect((await client.listTopics()).sort()).toEqual(['__consumer_offsets', 'a', 'b', 'c'])
  const { topics } = await client.fetchTopicMetadata({ topics: ['a', 'b', 'c'] })
  const byName = new Map(topics.map((topic) => [topic.name, topic.partitions]))
  expect([...byName].map(([name, partitions]) => [name, partitions.length]).sort()).toEqual([
    ['a', 3],
    ['b', 2],
    ['c', 1],
  ])
  expect(byName.get('a')?.find(({ partitionId }) => partitionId === 2)).toMatchObject({
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  })
  await client.createPartitions({ topicPartitions: [{ topic: 'a', count: 5 }] })
  await refused(client.createPartitions({ topicPartitions: [{ topic: 'a', count: 2 }] }), 'INVALID_PARTITIONS')
  expect((await client.fetchTopicMetadata({ topics: ['a'] })).topics[0]?.partitions).toHaveLength(5)
  await client.deleteTopics({ topics: ['a', 'b'] })
  expect((await client.listTopics()).sort()).toEqual(['__consumer_offsets', 'c'])
})

it('refuses what cannot be', async () => {
  const client = await admin()
  await refused(client.createTopics({ topics: [{ topic: 'a', replicationFactor: 3 }] }), 'INVALID_REPLICATION_FACTOR')
  await refused(client.createTopics({ topics: [{ topic: 'a b' }] }), 'INVALID_TOPIC_EXCEPTION')
  await refused(
    client.createTopics({ topics: [{ topic: 'a', configEntries: [{ name: 'x', value: '1' }] }] }),
    'INVALID_CONFIG',
  )
  expect(await client.createTopics({ topics: [{ topic: 'a' }], validateOnly: true, waitForLeaders: false })).toBe(true)
  expect(await client.listTopics()).toEqual(['__consumer_offsets'])
})

it('describes and alters the configurations of topics, and describes those of the broker', async () => {
  const client = await admin({ nodeId: 4 })
  await client.createTopics({ topics: [{ topic: 't' }] })
  const configOf = async (name: string) => {
    const resource = { type: ConfigResourceTypes.TOPIC, name: 't', configNames: [name] }
    const { resources } = await client.describeConfigs({ resources: [resource], includeSynonyms: true })
    return resources[0]?.configEntries[0]
  }
  expect(await configOf('retention.ms')).toMatchObject({
    configValue: '604800000',
    configSource: ConfigSource.DEFAULT_CONFIG,
  })
  const alter = (value: string) =>
    client.alterConfigs({
      resources: [{ type: ConfigResourceTypes.TOPIC, name: 't', configEntries: [{ name: 'retention.ms', value }] }],
      validateOnly: false,
    })
  await alter('1000')
  expect(await configOf('retention.ms')).toMatchObject({
    configValue: '1000',
    configSource: ConfigSource.TOPIC_CONFIG,
    configSynonyms: [
      { configName: 'retention.ms', configValue: '1000' },
      { configName: 'log.retention.hours', configValue: '168' },
    ],
  })
  await refused(alter('soon'), 'INVALID_CONFIG')
  const broker = { type: ConfigResourceTypes.BROKER, name: '4' }
  const { resources } = await client.describeConfigs({ resources: [broker], includeSynonyms: false })
  expect(resources[0]?.configEntries.find(({ configName }) => configName === 'node.id')).toMatchObject({
    configValue: '4',
    readOnly: true,
  })
})

it('deletes records', async () => {
  const { broker } = await startBroker()
  const kafka = kafkajs(broker)
  const client = await connect(kafka.admin())
  const producer = await connect(kafka.producer())
  await client.createTopics({ topics: [{ topic: 't' }] })
  await producer.send({ topic: 't', messages: Array.from({ length: 10 }, (_, i) => ({ value: `${i}` })) })
  // It finds the leader in what it knows of the topic already.
  expect(await client.fetchTopicOffsets('t')).toEqual([{ partition: 0, offset: '10', high: '10', low: '0' }])
  await client.deleteTopicRecords({ topic: 't', partitions: [{ partition: 0, offset: '4' }] })
  expect(await client.fetchTopicOffsets('t')).toEqual([{ partition: 0, offset: '10', high: '10', low: '4' }])
  await client.deleteTopicRecords({ topic: 't', partitions: [{ partition: 0, offset: '-1' }] })
  expect(await client.fetchTopicOffsets('t')).toEqual([{ partition: 0, offset: '10', high: '10', low: '10' }])
})

it('describes the cluster, by the advertised address', async () => {
  const { broker } = await startBroker({ nodeId: 3 })
  const client = await connect(kafkajs(broker).admin())
  expect(await client.describeCluster()).toEqual({
    brokers: [{ nodeId: 3, host: '127.0.0.1', port: broker.port }],
    controller: 3,
    clusterId: broker.clusterId,
  })
})

it('is not told of what there is not: access control lists', async () => {
  const client = await admin()
  const filter = {
    resourceType: AclResourceTypes.TOPIC,
    resourcePatternType: 3,
    operation: 2,
    permissionType: 3,
  }
  await expect(client.describeAcls(filter)).rejects.toThrow(/does not support/)
})
