import { describe, it } from 'vitest'
import { liveThrough } from '../support/log-life/run.js'
import { testRandom } from '../support/random.js'
import { scaled } from '../support/scale.js'

describe.each(['mykafka', 'kafka'] as const)('a log of %s entries, held against a model', (recordFormat) => {
  it('is what the model is behind each of many random operations', async () => {
    await liveThrough(testRandom(), { recordFormat, removes: false }, scaled(40, 120))
  })

  it('is that also where records are deleted, expire and are cut off', async () => {
    await liveThrough(testRandom(), { recordFormat, removes: true }, scaled(40, 120))
  })

  it('is that behind some of them', async () => {
    await liveThrough(testRandom(), { recordFormat, removes: true }, scaled(80, 240), 40)
  })
})
