import { expect, it } from 'vitest'
import { DEFAULT_CLEANER_CONFIG, LogCleaner } from '../../../src/topic/log-cleaner.js'
import type { Topic } from '../../../src/topic/topic.js'
import { TopicRegistry } from '../../../src/topic/topic-registry.js'
import { resolveTopicSettings } from '../../../src/topic/topic-settings.js'
import { latest, openKeyedLog, readAll, write } from '../../support/keyed-log.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'

/** Topics that are not compacted for so many looks at one. */
class ChangingTopics extends TopicRegistry {
  looks = 0

  override get(name: string): Topic | undefined {
    const topic = super.get(name)
    if (topic === undefined || this.looks === 0) return topic
    this.looks--
    return { ...topic, settings: { ...topic.settings, compacted: false } }
  }
}

it('a changed cleanup.policy is no failure, though the topic is compacted again by then', async () => {
  const log = await openKeyedLog(await temporaryDirectory(), 'kafka')
  for (let i = 0; i < 100; i++) await write(log, [{ key: `key-${i % 5}`, value: `${i} ${'.'.repeat(100)}` }])
  const before = latest(await readAll(log))
  const config = { 'cleanup.policy': 'compact' }
  const defaults = { config: {}, log: { fsync: 'never' as const }, maxFrameBytes: 104_857_600 }
  const settings = resolveTopicSettings({ recordFormat: 'kafka', config }, defaults)
  const topics = new ChangingTopics()
  const topic = { name: 't', id: 'AAAAAAAAAAAAAAAAAAAAAA', internal: false, recordFormat: 'kafka', config } as const
  topics.put({ ...topic, settings, partitions: [log] })
  const logger = memoryLogger()
  const checkpoint = async (): Promise<void> => {}
  const cleaner = new LogCleaner({
    topics,
    config: DEFAULT_CLEANER_CONFIG,
    maxPlainBytes: 1 << 20,
    checkpoint,
    now: Date.now,
    logger,
  })
  topics.looks = 1
  expect(await cleaner.cleanDirtiest()).toBe(true)
  expect(log.compaction.cleanedTo).toBe(0)
  expect(log.compaction.failure).toBeNull()
  expect(logger.messages()).toEqual(['stopped compacting t/0: its cleanup.policy changed'])
  expect(logger.messages('warn')).toEqual([])
  expect(await cleaner.cleanDirtiest()).toBe(true)
  expect(log.compaction.cleanedTo).toBeGreaterThan(0)
  expect(latest(await readAll(log))).toEqual(before)
  await log.close()
})
