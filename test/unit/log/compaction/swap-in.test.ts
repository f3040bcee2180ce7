import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { PartitionLog } from '../../../../src/log/partition-log.js'
import { beforeDirectorySyncs } from '../../../support/directory-syncs.js'
import { cleaningOptions, latest, openKeyedLog, readAll, stateOf, write } from '../../../support/keyed-log.js'
import { temporaryDirectory } from '../../../support/temporary.js'

afterEach(() => void vi.restoreAllMocks())

const swaps = (directory: string) => readdirSync(directory).filter((name) => name.includes('.swap-'))
/** Whether what was compacted bears the name of the segment as well. */
const isReplaced = (directory: string) => swaps(directory).some((name) => statSync(join(directory, name)).nlink === 2)

/** Directories cannot be synced, as where there is no descriptor left, while it says so. */
function failSyncs(when: () => boolean): void {
  beforeDirectorySyncs(() => {
    if (when()) throw new Error('no sync')
  })
}

async function fill(log: PartitionLog, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (let key = 0; key < 20; key++) await write(log, [{ key: `key-${key}`, value: `${round} ${'.'.repeat(60)}` }])
  }
}

it('a replacement that could not be begun is not made by the next start', async () => {
  const directory = await temporaryDirectory()
  const log = await openKeyedLog(directory, 'kafka')
  await fill(log, 6)
  failSyncs(() => swaps(directory).length > 0)
  await expect(log.compaction.clean(cleaningOptions())).rejects.toThrow('no sync')
  expect(swaps(directory)).toEqual([])
  vi.restoreAllMocks()

  await fill(log, 6)
  await log.compaction.clean(cleaningOptions())
  const records = await readAll(log)
  await log.close()
  const again = await openKeyedLog(directory, 'kafka', { state: stateOf(log) })
  expect(await readAll(again)).toEqual(records)
  expect(latest(records).size).toBe(20)
  await again.close()
})

it('behind a replacement that was left half done nothing is compacted before the next start', async () => {
  const directory = await temporaryDirectory()
  const log = await openKeyedLog(directory, 'kafka')
  await fill(log, 6)
  failSyncs(() => isReplaced(directory))
  await expect(log.compaction.clean(cleaningOptions())).rejects.toThrow(expect.objectContaining({ code: 'LOG_FAILED' }))
  vi.restoreAllMocks()
  const left = readdirSync(directory).filter((name) => !name.endsWith('.deleted'))
  await expect(log.compaction.clean(cleaningOptions())).rejects.toThrow(expect.objectContaining({ code: 'LOG_FAILED' }))
  expect(readdirSync(directory).filter((name) => !name.endsWith('.deleted'))).toEqual(left)
  const records = await readAll(log)
  expect(latest(records).size).toBe(20)
  await log.close().catch(() => {})
  const again = await openKeyedLog(directory, 'kafka', { state: { ...stateOf(log), clean: false } })
  expect(await readAll(again)).toEqual(records)
  await again.close()
})

it('appends that wait for the disk do not wait for a replacement, and reads go on', async () => {
  const directory = await temporaryDirectory()
  const log = await openKeyedLog(directory, 'kafka')
  await fill(log, 6)
  await log.roll()
  await log.flush()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let reached = (): void => {}
  const held = new Promise<void>((resolve) => {
    reached = resolve
  })
  beforeDirectorySyncs(async () => {
    if (swaps(directory).length === 0) return
    reached()
    await released
  })
  const cleaning = log.compaction.clean(cleaningOptions())
  await held
  expect(await write(log, [{ key: 'new', value: 'x' }])).toBe(120)
  await log.flush()
  expect(log.recoveryPoint).toBe(121)
  expect(await readAll(log)).toHaveLength(121)
  release()
  expect(await cleaning).not.toBeNull()
  expect(latest(await readAll(log)).size).toBe(21)
  await log.close()
})
