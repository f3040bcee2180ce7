import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const found = createRequire(join(process.cwd(), 'package.json')).resolve('@platformatic/kafka')
const { Admin, Consumer, Producer, stringSerializers, stringDeserializers } = await import(pathToFileURL(found))
const { version } = await import(new URL('./version.js', pathToFileURL(found)))
console.log(`@platformatic/kafka ${version}`)

const topic = 'recorded-platformatic'
const options = { clientId: 'recorded', bootstrapBrokers: [process.env.BOOTSTRAP] }
const admin = new Admin(options)
await admin.createTopics({ topics: [topic], partitions: 2 })
await admin.createPartitions({ topics: [{ name: topic, count: 3 }] })
const producer = new Producer({ ...options, serializers: stringSerializers, autocreateTopics: false })
await producer.send({ messages: [{ topic, key: 'key', value: 'value', headers: { header: 'text' } }], acks: -1 })
await producer.close()
const consumer = new Consumer({ ...options, groupId: topic, deserializers: stringDeserializers })
const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, heartbeatInterval: 500 })
for await (const message of stream) {
  await message.commit()
  break
}
await new Promise((resolve) => setTimeout(resolve, 1500))
await admin.listGroups()
await admin.describeGroups({ groups: [topic] })
await stream.close()
await consumer.close(true)
await admin.deleteGroups({ groups: [topic] })
await admin.deleteTopics({ topics: [topic] })
await admin.close()
process.exit()
