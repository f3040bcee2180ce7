import { MyKafkaError } from '../errors.js'
import { runWithFiles } from '../log/file-relief.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { LogOpener } from './log-opener.js'
import type { Topic } from './topic.js'
import type { TopicDirectory } from './topic-directory.js'
import type { TopicRegistry } from './topic-registry.js'

export interface TopicDeletionOptions {
  topics: TopicRegistry
  directory: TopicDirectory
  opener: LogOpener
  /** Makes logs let go of open files. */
  relieveFiles: () => Promise<void>
}

/**
 * Takes a topic out of service and out of the tree; behind a crash it is there whole or not at all. Its logs are closed
 * before its name is free, so that none of them writes into the directory of a namesake.
 *
 * @returns where its files are now; whoever still reads them keeps them open
 * @throws MyKafkaError KAFKA_STORAGE_ERROR; the topic is then served as before, or offline where not even that is certain
 */
export async function deleteTopicFromDisk(
  topic: Topic,
  { topics, directory, opener, relieveFiles }: TopicDeletionOptions,
): Promise<string> {
  const { name } = topic
  topics.remove(topic)
  const gone = new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `the topic ${name} was deleted`)
  await Promise.all(topic.partitions.map((log) => log?.discard(gone)))
  try {
    return await runWithFiles(relieveFiles, () => directory.takeOut(name))
  } catch (cause) {
    // What it would acknowledge as on the disk must have a place there: behind power loss it might be deleted.
    const isServed = await directory.namesAreSynced()
    const partitions = isServed ? await reopened(topic, opener) : topic.partitions.map(() => null)
    topics.put({ ...topic, partitions })
    const served = isServed ? '' : ', and is offline: that it is there could not be brought to the disk either'
    throw new MyKafkaError('KAFKA_STORAGE_ERROR', `the topic ${name} could not be deleted${served}`, { cause })
  }
}

function reopened({ name, partitions }: Topic, opener: LogOpener): Promise<(PartitionLog | null)[]> {
  return Promise.all(partitions.map((log, partition) => (log === null ? null : opener.reopen(name, partition, log))))
}
