/** What is started behind a crash: a broker's engine without its wires, or an embedded log. */
import type { GroupCoordinator } from '../../../src/group/group-coordinator.js'
import { Log } from '../../../src/log/log.js'
import type { Logger } from '../../../src/logger.js'
import { DEFAULT_BROKER_CONFIG } from '../../../src/server/broker-config.js'
import { startGroups } from '../../../src/server/group-start.js'
import { topicDefaults } from '../../../src/server/resolve-broker-config.js'
import { DEFAULT_CLEANER_CONFIG } from '../../../src/topic/log-cleaner.js'
import { LogManager } from '../../../src/topic/log-manager.js'
import type { EngineSettings } from './marks.js'

export interface Engine {
  readonly logs: LogManager
  readonly groups: GroupCoordinator
  close(): Promise<void>
}

/** So many keys are there at the most: the cleaner's table need not be larger. */
const CLEANER_BYTES = 1 << 16

export async function openEngine(dataDirectory: string, settings: EngineSettings, logger: Logger): Promise<Engine> {
  const { segmentBytes, indexIntervalBytes, offsetsSegmentBytes, commitAcks } = settings
  const config = {
    ...DEFAULT_BROKER_CONFIG,
    segmentBytes,
    indexIntervalBytes,
    offsetsTopicSegmentBytes: offsetsSegmentBytes,
    offsetsCommitRequiredAcks: commitAcks,
  }
  const logs = await LogManager.open({
    dataDirectory,
    defaults: topicDefaults(config),
    nodeId: 1,
    flushIntervalMs: 3_600_000,
    retentionCheckIntervalMs: 3_600_000,
    // What is compacted when is decided by the life.
    cleaner: { ...DEFAULT_CLEANER_CONFIG, enabled: false, bufferBytes: CLEANER_BYTES },
    logger,
  })
  try {
    const groups = await startGroups(logs, config, logger)
    return {
      logs,
      groups,
      close: async () => {
        groups.close()
        await logs.close()
      },
    }
  } catch (error) {
    await logs.close()
    throw error
  }
}

export function openLog(directory: string, settings: EngineSettings, logger: Logger): Promise<Log> {
  const { segmentBytes, indexIntervalBytes, retentionBytes } = settings
  return Log.open(directory, { segmentBytes, indexIntervalBytes, retentionBytes, flushIntervalMs: 3_600_000, logger })
}
