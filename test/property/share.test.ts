import fc from 'fast-check'
import { expect, it } from 'vitest'
import { edited, edits } from '../support/hostile-bytes.js'
import { share } from '../support/share.js'

it('is anywhere in a whole, as are the changes of bytes', () => {
  const places = fc.sample(share, { numRuns: 2000, seed: 7 }).map((some) => Math.floor(some * 4))
  const whole = Buffer.alloc(400, 1)
  const changes = fc.sample(edits, { numRuns: 2000, seed: 7 }).map((each) => {
    const changed = edited(whole, each)
    const first = changed.findIndex((byte) => byte !== 1)
    return Math.min(3, Math.floor((first < 0 ? changed.length : first) / 100))
  })
  for (const quarter of [0, 1, 2, 3]) {
    expect(places.filter((place) => place === quarter).length).toBeGreaterThan(300)
    expect(changes.filter((place) => place === quarter).length).toBeGreaterThan(100)
  }
})
