import { describe, it } from 'vitest'
import { liveThroughKills } from '../support/log-life/kill.js'
import { testRandom } from '../support/random.js'

describe.each(['mykafka', 'kafka'] as const)('a log of %s entries, whose process is killed', (recordFormat) => {
  it('is what the model is: what was acknowledged, and a part of what was under way', async () => {
    await liveThroughKills(testRandom(), { recordFormat, removes: true }, { kills: 2, mostMs: 1200 })
  })
})
