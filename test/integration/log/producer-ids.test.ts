import { expect, it } from 'vitest'
import { DEFAULT_LOG_CONFIG } from '../../../src/log/log-config.js'
import { silentLogger } from '../../../src/logger.js'
import { LogManager } from '../../../src/topic/log-manager.js'
import { ProducerIdManager } from '../../../src/topic/producer-id-manager.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('gives no producer id twice, also behind a restart', async () => {
  const dataDirectory = await temporaryDirectory()
  const given: number[] = []
  for (let start = 0; start < 3; start++) {
    const defaults = { ...DEFAULT_LOG_CONFIG, fsync: 'never' as const }
    const logs = await LogManager.open({
      dataDirectory,
      defaults,
      nodeId: 1,
      flushIntervalMs: 60_000,
      logger: silentLogger,
    })
    const ids = new ProducerIdManager(logs.metadata)
    given.push(...(await Promise.all(Array.from({ length: 1500 }, () => ids.next()))))
    await logs.close()
  }
  expect(new Set(given).size).toBe(4500)
  expect(Math.min(...given)).toBe(0)
})
