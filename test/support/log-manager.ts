import { LogManager, type LogManagerOptions } from '../../src/topic/log-manager.js'
import { behindEachTest } from './clean-up.js'
import { memoryLogger } from './memory-logger.js'
// Its directories are removed behind the managers that use them: hooks run in reverse order.
import './temporary.js'

const open = new Set<LogManager>()

behindEachTest(async () => {
  for (const manager of open) await manager.close()
  open.clear()
})

/** Opens a data directory without a broker. It is closed with the test. */
export async function openLogs(
  dataDirectory: string,
  options: Partial<Omit<LogManagerOptions, 'dataDirectory'>> = {},
): Promise<LogManager> {
  const defaults = { config: {}, log: { fsync: 'never' as const }, maxFrameBytes: 104_857_600 }
  const manager = await LogManager.open({
    dataDirectory,
    defaults,
    nodeId: 1,
    flushIntervalMs: 60_000,
    logger: memoryLogger(),
    ...options,
  })
  open.add(manager)
  return manager
}
