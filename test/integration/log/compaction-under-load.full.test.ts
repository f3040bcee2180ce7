import { afterEach, describe, it } from 'vitest'
import { native } from '../../../src/native/load.js'
import { compactUnderLoad, LOGS } from './scenarios/compaction-load.js'

afterEach(() => native.setOpenFileLimit(1024))

describe.each(LOGS)('compaction of $recordFormat entries under much load, $openFiles open', (log) => {
  it('keeps the last record of each key, and shows readers only what was written', async () => {
    await compactUnderLoad(log, 800)
  })
})
