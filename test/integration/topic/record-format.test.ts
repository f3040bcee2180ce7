import { expect, it } from 'vitest'
import { openLogs } from '../../support/log-manager.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('a topic keeps the record format that its creation chose: by configuration, else by the wire', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('plain', 2)
  await logs.createTopic('over-kafka', 2, {}, 'kafka')
  await logs.createTopic('chosen', 2, { 'record.format': 'mykafka' }, 'kafka')
  const formats = (manager: typeof logs) =>
    ['plain', 'over-kafka', 'chosen', '__cluster_metadata'].map((name) => {
      const topic = manager.topic(name)
      expect(topic?.partitions.map((log) => log?.config.recordFormat)).toEqual(
        topic?.partitions.map(() => topic.recordFormat),
      )
      return topic?.recordFormat
    })
  expect(formats(logs)).toEqual(['mykafka', 'kafka', 'mykafka', 'mykafka'])
  await logs.close()
  expect(formats(await openLogs(directory))).toEqual(['mykafka', 'kafka', 'mykafka', 'mykafka'])
})

it('refuses a record format that there is not', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await expect(logs.createTopic('t', 1, { 'record.format': 'avro' })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: 'record.format must be one of mykafka, kafka, not avro',
  })
})

it('finds a topic by its id', async () => {
  const logs = await openLogs(await temporaryDirectory())
  const topic = await logs.createTopic('t', 1)
  expect(logs.topicById(topic.id)).toBe(topic)
  expect(logs.topicById('AAAAAAAAAAAAAAAAAAAAAA')).toBeUndefined()
})
