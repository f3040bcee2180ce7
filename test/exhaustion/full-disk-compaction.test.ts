import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../src/log/make-directory.js'
import { cleaningOptions, latest, openKeyedLog, readAll, write } from '../support/keyed-log.js'
import { canMount, smallDisk } from '../support/small-disk.js'

describe.runIf(canMount)('a compaction on a full disk', () => {
  it.each(['mykafka', 'kafka'] as const)(
    'leaves the log of %s entries as it is, until there is room',
    async (format) => {
      const disk = await smallDisk(8, 2)
      const directory = join(disk.path, 'log')
      await makeDirectory(directory)
      const log = await openKeyedLog(directory, format, { segmentBytes: 262_144, fileDeleteDelayMs: 0 })
      for (let i = 0; i < 2000; i++) await write(log, [{ key: `key-${i % 1500}`, value: `${i} ${'.'.repeat(1000)}` }])
      const before = await readAll(log, 0, 1 << 20)
      await disk.fill()
      await expect(log.compaction.clean(cleaningOptions())).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
      expect((await readdir(directory)).filter((name) => /cleaned|swap|tmp/.test(name))).toEqual([])
      expect(latest(await readAll(log, 0, 1 << 20))).toEqual(latest(before))
      await disk.makeRoom()
      const report = await log.compaction.clean(cleaningOptions())
      expect(report?.recordsDropped).toBeGreaterThan(0)
      expect(latest(await readAll(log, 0, 1 << 20))).toEqual(latest(before))
      await log.close()
    },
  )
})
