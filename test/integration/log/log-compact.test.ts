import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Log } from '../../../src/index.js'
import { temporaryDirectory } from '../../support/temporary.js'

async function all(log: Log): Promise<[number, string | undefined, string | undefined][]> {
  const records: [number, string | undefined, string | undefined][] = []
  for await (const { offset, key, value } of log.iterate({ follow: false })) {
    records.push([offset, key?.toString(), value?.toString()])
  }
  return records
}

describe('Log.compact', () => {
  it('leaves the last record of each key, and nothing of those without one', async () => {
    const directory = await temporaryDirectory()
    let log = await Log.open(directory)
    await log.appendBatch([{ key: 'a', value: '1' }, { value: 'no key' }, { key: 'b', value: '2' }])
    await log.appendBatch([
      { key: 'a', value: '3' },
      { key: 'b', value: null },
    ])
    const report = await log.compact()
    expect(report).toMatchObject({ firstDirtyOffset: 0, endOffset: 5, keys: 2, recordsKept: 2, recordsDropped: 3 })
    const left = [
      [3, 'a', '3'],
      [4, 'b', undefined],
    ]
    expect(await all(log)).toEqual(left)
    expect(await log.compact()).toBeNull()
    await log.close()
    expect(await readFile(join(directory, 'cleaner-offset-checkpoint'), 'utf8')).toBe('0\n1\nlog 0 5\n')
    log = await Log.open(directory)
    expect(await all(log)).toEqual(left)
    expect(await log.append({ key: 'a', value: '4' })).toBe(5)
    expect(await log.compact({ deleteRetentionMs: 0 })).toMatchObject({ firstDirtyOffset: 5, endOffset: 6 })
    expect(await all(log)).toEqual([[5, 'a', '4']])
    await log.close()
  })

  it('ends by its signal, and goes with the log', async () => {
    const log = await Log.open(await temporaryDirectory())
    await log.append({ key: 'a', value: '1' })
    const reason = new Error('enough')
    await expect(log.compact({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(log.compact({ maxMemory: 5 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await all(log)).toEqual([[0, 'a', '1']])
    await log.close()
    await expect(log.compact()).rejects.toMatchObject({ code: 'LOG_CLOSED' })
  })
})
