import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { type DiskOptions, runDisk } from '../faults/disk/disk.js'
import { canRecord } from '../faults/disk/recorder.js'
import { testRandom } from '../support/random.js'

const run = (options: Pick<DiskOptions, 'states' | 'failingLives' | 'script'>) =>
  runDisk({
    seed: testRandom().integer(0, 2 ** 30),
    rounds: 1,
    program: join(inject('programs'), 'recorded-life.js'),
    log: () => {},
    signal: new AbortController().signal,
    ...options,
  })

describe.runIf(canRecord)('states that crashes leave', () => {
  it('hold what was acknowledged as on the disk, whatever of the rest is there', async () => {
    expect((await run({ states: 24, failingLives: 1 })).failures).toEqual([])
  })

  it('of a log that was cut off have nothing of what was cut, behind a clean stop neither', async () => {
    const script = ['append', 'append', 'append', 'flush', 'truncate', 'reopen', 'append', 'flush', 'truncate'] as const
    expect((await run({ states: 60, failingLives: 0, script })).failures).toEqual([])
  })
})
