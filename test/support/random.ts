import { randomInt } from 'node:crypto'
import { onTestFailed } from 'vitest'
import { type Random, seededRandom } from './seeded-random.js'

export { type Random, seededRandom } from './seeded-random.js'

/** For the test that calls it: another seed each time, or MYKAFKA_SEED. A failure says which it was. */
export function testRandom(): Random {
  const seed = process.env.MYKAFKA_SEED === undefined ? randomInt(2 ** 31) : Number(process.env.MYKAFKA_SEED)
  onTestFailed(() => console.error(`to see it again: MYKAFKA_SEED=${seed}`))
  return seededRandom(seed)
}
