import { describe, it } from 'vitest'
import { liveThrough } from '../support/log-life/run.js'
import { testRandom } from '../support/random.js'

const TIMEOUT_MS = 600_000
const OPERATIONS = 2000

describe.each(['mykafka', 'kafka'] as const)('a log of %s entries, held against a model for long', (recordFormat) => {
  it('is what the model is behind each of thousands of operations', { timeout: TIMEOUT_MS }, async () => {
    await liveThrough(testRandom(), { recordFormat, removes: false }, OPERATIONS)
  })

  it('is that also where records are deleted, expire and are cut off', { timeout: TIMEOUT_MS }, async () => {
    await liveThrough(testRandom(), { recordFormat, removes: true }, OPERATIONS)
  })

  it('is that behind some of them', { timeout: TIMEOUT_MS }, async () => {
    await liveThrough(testRandom(), { recordFormat, removes: true }, OPERATIONS / 2, 100)
  })
})
