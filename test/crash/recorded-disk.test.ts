import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { runDisk } from '../faults/disk/disk.js'
import { canRecord } from '../faults/disk/recorder.js'
import { testRandom } from '../support/random.js'

describe.runIf(canRecord)('states that crashes leave', () => {
  it('hold what was acknowledged as on the disk, whatever of the rest is there', async () => {
    const outcome = await runDisk({
      seed: testRandom().integer(0, 2 ** 30),
      rounds: 1,
      states: 24,
      failingLives: 1,
      program: join(inject('programs'), 'recorded-life.js'),
      log: () => {},
      signal: new AbortController().signal,
    })
    expect(outcome.failures).toEqual([])
  })
})
