import { describe, it } from 'vitest'
import { liveThroughKills } from '../support/log-life/kill.js'
import { testRandom } from '../support/random.js'

const TIMEOUT_MS = 600_000
const KILLS = { kills: 10, mostMs: 3000 }

describe.each(['mykafka', 'kafka'] as const)(
  'a log of %s entries, whose process is killed many times',
  (recordFormat) => {
    it('is what the model is, where only compaction removes', { timeout: TIMEOUT_MS }, async () => {
      await liveThroughKills(testRandom(), { recordFormat, removes: false }, KILLS)
    })

    it('is what the model is, where records are deleted, expire and are cut off', { timeout: TIMEOUT_MS }, async () => {
      await liveThroughKills(testRandom(), { recordFormat, removes: true }, KILLS)
    })
  },
)
