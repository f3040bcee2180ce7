import { it } from 'vitest'
import { testRandom } from '../support/random.js'
import { throughRestarts } from './scenarios/through-restarts.js'

it('a million records go through five restarts: none is lost', { timeout: 300_000 }, async () => {
  console.log(await throughRestarts(testRandom(), 1_000_000, 5))
})
