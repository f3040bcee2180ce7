import { describe, expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

const loaded = (messages: string[]): { commits: number; keys: number } => {
  const [, commits, keys] =
    messages.map((text) => /^loaded (\d+) commits \((\d+) unique keys\)$/.exec(text)).find(Boolean) ?? []
  return { commits: Number(commits), keys: Number(keys) }
}

describe('__consumer_offsets', () => {
  it('is compacted, so that a start reads what is left of it', async () => {
    const dataDir = await temporaryDirectory()
    const settings = { dataDir, offsetsTopicSegmentBytes: 8192, logCleanerBackoffMs: 5 }
    const first = await startBroker(settings)
    const peer = await first.connect()
    await peer.call(frames.createTopic('t', 1))
    await peer.call(frames.produce('t', 0, [{ value: 'v' }]))
    for (let round = 0; round < 100; round++) {
      const commits = Array.from({ length: 20 }, (_, group) => frames.commitOffset(`group-${group}`, 't', 0, round % 2))
      await Promise.all(commits.map((commit) => peer.call(commit)))
    }
    const isCompacted = () => first.logger.lines.some(({ fields }) => (fields.endOffset as number) > 1700)
    while (!isCompacted()) await new Promise((resolve) => setTimeout(resolve, 10))
    await first.stop()
    const second = await startBroker(settings)
    const { commits, keys } = loaded(second.logger.messages('info'))
    expect(keys).toBe(20)
    expect(commits).toBeLessThan(1000)
    const again = await second.connect()
    for (let group = 0; group < 20; group++) {
      expect(await again.call(frames.fetchOffset(`group-${group}`, 't', 0))).toEqual(frames.offsetFetched(0, 1))
    }
  })

  it('is left alone where log.cleaner.enable is false', async () => {
    const { broker, logger, connect } = await startBroker({
      offsetsTopicSegmentBytes: 1024,
      logCleanerBackoffMs: 1,
      properties: { 'log.cleaner.enable': 'false' },
    })
    const peer = await connect()
    await peer.call(frames.createTopic('t', 1))
    for (let i = 0; i < 100; i++) await peer.call(frames.commitOffset('g', 't', 0, 0))
    await broker.stop()
    expect(logger.messages('info').filter((text) => text.startsWith('compacted'))).toEqual([])
  })
})
