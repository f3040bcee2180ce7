import { GroupCoordinator } from '../group/group-coordinator.js'
import type { Logger } from '../logger.js'
import type { LogManager } from '../topic/log-manager.js'
import { OFFSETS_TOPIC } from '../topic/topic.js'
import { type GroupSettings, groupConfig } from './group-settings.js'

/** Loads groups and offsets from `__consumer_offsets`, which is made where it is missing. */
export async function startGroups(
  logs: LogManager,
  settings: GroupSettings,
  logger: Logger,
): Promise<GroupCoordinator> {
  const topic = logs.topic(OFFSETS_TOPIC) ?? (await logs.createTopic(OFFSETS_TOPIC, 1))
  const options = {
    config: groupConfig(settings),
    logger,
    commitAcks: settings.offsetsCommitRequiredAcks,
    hasTopic: (name: string) => logs.topic(name) !== undefined,
    // What a clock that was set forward would delete is gone for good.
    now: () => logs.retention.now(),
  }
  const logEndAfterCrash = (name: string, partition: number): number | undefined =>
    logs.topic(name)?.partitions[partition]?.logEndOffset
  const log = logs.partition(topic.name, 0)
  const behindCrash = { logEndAfterCrash, onNotLowered: () => logs.recoverNextTime() }
  const groups = await GroupCoordinator.load(log, logs.clean ? options : { ...options, ...behindCrash })
  const forget = (name: string): Promise<void> => groups.offsets.removeTopic(name)
  const reopened = (name: string, partition: number, end: number): Promise<void> =>
    groups.offsets.lower(name, partition, end)
  logs.onTopics({ creating: forget, deleted: forget, reopened })
  return groups
}
