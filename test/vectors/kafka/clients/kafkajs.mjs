import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const { Kafka, logLevel, CompressionTypes, ConfigResourceTypes } = require('kafkajs')
console.log(`kafkajs ${require('kafkajs/package.json').version}`)

const kafka = new Kafka({ clientId: 'recorded', brokers: [process.env.BOOTSTRAP], logLevel: logLevel.ERROR })
const topic = 'recorded-kafkajs'
const admin = kafka.admin()
await admin.connect()
await admin.createTopics({ topics: [{ topic, numPartitions: 2 }] })
await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] })
await admin.fetchTopicMetadata({ topics: [topic] })
await admin.describeCluster()
await admin.describeConfigs({ includeSynonyms: true, resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['retention.ms'] }] })
await admin.alterConfigs({ resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name: 'retention.ms', value: '100000' }] }] })

for (const options of [{}, { idempotent: true }]) {
  const producer = kafka.producer(options)
  await producer.connect()
  const messages = [{ key: 'key', value: 'value', headers: { header: 'text' } }, { value: null }]
  await producer.send({ topic, messages, compression: CompressionTypes.GZIP })
  await producer.disconnect()
}
const groupId = 'recorded-kafkajs'
const consumer = kafka.consumer({ groupId })
await consumer.connect()
await consumer.subscribe({ topic, fromBeginning: true })
await new Promise((resolve) => consumer.run({ eachMessage: async () => resolve() }))
await new Promise((resolve) => setTimeout(resolve, 4000))
await admin.listGroups()
await admin.describeGroups([groupId])
await consumer.disconnect()
await admin.fetchTopicOffsets(topic)
await admin.fetchOffsets({ groupId, topics: [topic] })
await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '0' }] })
await admin.deleteGroups([groupId])
await admin.deleteTopics({ topics: [topic] })
await admin.disconnect()
