import { MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import type { LogOpener } from './log-opener.js'
import { newKafkaId } from './meta-properties.js'
import type { StoredConfigs } from './stored-configs.js'
import { isInternalTopic, type Topic } from './topic.js'
import type { TopicConfig } from './topic-configs.js'
import type { TopicDirectory } from './topic-directory.js'
import type { TopicSettings } from './topic-settings.js'

export interface NewTopic {
  name: string
  partitionCount: number
  /** What is stored of it. */
  config: TopicConfig
  /** What it means. */
  settings: TopicSettings
}

export interface TopicCreationOptions {
  directory: TopicDirectory
  opener: LogOpener
  /** Null while the metadata topic itself is made. */
  configs: StoredConfigs | null
  logger: Logger
}

/**
 * Makes a topic's directories and opens its logs: all or nothing.
 *
 * @throws MyKafkaError KAFKA_STORAGE_ERROR
 */
export async function createTopicOnDisk(
  { name, partitionCount, config, settings }: NewTopic,
  { directory, opener, configs, logger }: TopicCreationOptions,
): Promise<Topic> {
  const topicId = newKafkaId()
  const { recordFormat } = settings.log
  const failed = (cause: unknown): never => {
    throw new MyKafkaError('KAFKA_STORAGE_ERROR', `the topic ${name} could not be made`, { cause })
  }
  // Before the topic: without its directory, under this id, a configuration means nothing. That of the broker's own
  // topics is in no store.
  if (!isInternalTopic(name) && Object.keys(config).length > 0) await configs?.set(name, topicId, config)
  await directory.create(name, { topicId, partitionCount, recordFormat }).catch(failed)
  const partitions = await opener.openNew(name, 0, partitionCount, settings.log).catch(async (cause: unknown) => {
    await directory
      .takeOut(name)
      .then((path) => directory.removeFiles(path))
      .catch((err: unknown) => logger.error({ err }, 'a topic is left over'))
    return failed(cause)
  })
  return { name, id: topicId, internal: isInternalTopic(name), recordFormat, config, settings, partitions }
}
