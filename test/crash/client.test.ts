import { it } from 'vitest'
import { testRandom } from '../support/random.js'
import { throughRestarts } from './scenarios/through-restarts.js'

it('records go through a producer and a consumer, whose broker is killed and restarted: none is lost', async () => {
  console.log(await throughRestarts(testRandom(), 20_000, 2))
})
