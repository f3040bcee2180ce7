/** Segments that were put aside or cut off must not be back behind power loss, whoever lived to sync the directory. */
import { existsSync, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import { beforeDirectorySyncs } from '../../support/directory-syncs.js'
import { openKeyedLog, write } from '../../support/keyed-log.js'
import { temporaryDirectory } from '../../support/temporary.js'

afterEach(() => void vi.restoreAllMocks())

/** A log of several segments, all of it on the disk; the last of them. */
async function filled(): Promise<{ log: PartitionLog; directory: string; last: string; base: number }> {
  const directory = await temporaryDirectory()
  const log = await openKeyedLog(directory, 'mykafka')
  for (let i = 0; i < 40; i++) await write(log, [{ key: `key-${i}`, value: '.'.repeat(300) }])
  await log.flush()
  const logs = readdirSync(directory).filter((name) => name.endsWith('.log'))
  expect(logs.length).toBeGreaterThan(2)
  const name = logs.sort().at(-1)?.slice(0, -'.log'.length) as string
  return { log, directory, last: join(directory, name), base: Number(name) }
}

it('an unclean start brings to the disk what another has put aside and not lived to sync', async () => {
  const { log, directory, last, base } = await filled()
  await log.close()
  await rename(`${last}.log`, `${last}.log.cut-0`)
  for (const ending of ['index', 'timeindex']) await rm(`${last}.${ending}`)
  const synced: string[] = []
  beforeDirectorySyncs((path) => void synced.push(path))
  const again = await openKeyedLog(directory, 'mykafka', { state: { recoveryPoint: base, clean: false } })
  expect(again.logEndOffset).toBe(base)
  expect(synced).toEqual([directory])
  await again.close()
})

it('a start brings the removal of a log to the disk before it removes the indexes that tell of it', async () => {
  const { log, directory, last, base } = await filled()
  await log.close()
  await rm(`${last}.log`)
  const told: boolean[] = []
  beforeDirectorySyncs(() => void told.push(existsSync(`${last}.index`)))
  const again = await openKeyedLog(directory, 'mykafka', { state: { recoveryPoint: base } })
  expect(again.logEndOffset).toBe(base)
  expect(told).toEqual([true])
  expect(existsSync(`${last}.index`)).toBe(false)
  await again.close()
})

it('a truncation removes the indexes of a segment behind its log, when that is gone on the disk', async () => {
  const { log, directory, last } = await filled()
  const seen: string[][] = []
  beforeDirectorySyncs(() => {
    const names = readdirSync(directory).map((name) => join(directory, name))
    seen.push(names.filter((name) => name.startsWith(last)).sort())
  })
  await log.truncateTo(2)
  expect(seen[0]).toEqual([`${last}.index`, `${last}.timeindex`])
  expect(seen[1]).toEqual([])
  expect(seen.length).toBeGreaterThan(1)
  await log.close()
})
