import { appendFile, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { missingPartitions } from '../../src/cli/verify/missing-partitions.js'
import { VerifiedState } from '../../src/cli/verify/state.js'
import { findTarget, type LogDirectory } from '../../src/cli/verify/target.js'
import { type LogReport, verifyLog } from '../../src/cli/verify/verify-log.js'
import { Client } from '../../src/client/client.js'
import { Log } from '../../src/log/log.js'
import { startBroker } from '../support/broker.js'
import { runCli } from '../support/cli-process.js'
import { compactedBatch, segmentFile, writeCompacted, writeDense } from '../support/compacted-log.js'
import { flipBits } from '../support/damage.js'
import { type Format, openKeyedLog, write } from '../support/keyed-log.js'
import { temporaryDirectory } from '../support/temporary.js'

/** A closed log of several segments: `records` of them, a batch each. */
async function writtenLog(
  recordFormat: Format,
  { records = 150, segmentBytes = 4096 } = {},
): Promise<{ directory: string; bases: number[] }> {
  const directory = await temporaryDirectory()
  const log = await openKeyedLog(directory, recordFormat, { segmentBytes })
  for (let i = 0; i < records; i++) {
    const producer = { producerId: 7, producerEpoch: 0, baseSequence: i }
    const options = { timestamp: 1_700_000_000_000 + i * 10, ...(recordFormat === 'kafka' && { producer }) }
    await write(log, [{ key: `key-${i % 20}`, value: 'x'.repeat(60) }], options)
  }
  await log.close()
  return { directory, bases: await baseOffsets(directory) }
}

async function baseOffsets(directory: string): Promise<number[]> {
  const names = await readdir(directory)
  const logs = names.filter((name) => name.endsWith('.log'))
  return logs.map((name) => Number(name.slice(0, 20))).sort((a, b) => a - b)
}

async function verified(directory: string): Promise<LogReport> {
  return await verifyLog({ directory, topic: null, partition: null }, null, () => {})
}

/** What was found, file by file, without the directory. */
function damagesOf({ directory, damages }: LogReport): string[] {
  return damages.map(({ file, what }) => `${file.slice(directory.length + 1)}: ${what}`)
}

describe.each(['mykafka', 'kafka'] as const)('a log of %s entries', (format) => {
  it('is sound as it was written', async () => {
    const { directory, bases } = await writtenLog(format)
    expect(bases.length).toBeGreaterThan(3)
    const report = await verified(directory)
    expect(report).toMatchObject({ damages: [], notes: [], logStartOffset: 0, logEndOffset: 150 })
    expect(report).toMatchObject({ segments: bases.length, entries: 150, records: 150 })
  })

  it('a flipped bit of a log is damage, with the offsets that are lost', async () => {
    const { directory, bases } = await writtenLog(format)
    const [base, next] = [bases[1] as number, bases[2] as number]
    const { size } = await stat(segmentFile(directory, base, 'log'))
    await flipBits(segmentFile(directory, base, 'log'), size - 30, 1)
    const report = await verified(directory)
    expect(report.damages).toMatchObject([{ kind: 'crc', firstOffset: next - 1, nextOffset: next }])
    expect(damagesOf(report)[0]).toMatch(
      new RegExp(`^${String(base).padStart(20, '0')}.log: at position \\d+: an entry with a wrong CRC, \\d+ bytes, `),
    )
  })

  it('a flipped bit of an index is damage of the index', async () => {
    const { directory, bases } = await writtenLog(format)
    const base = bases[1] as number
    await flipBits(segmentFile(directory, base, 'index'), 11, 1)
    await flipBits(segmentFile(directory, base, 'timeindex'), 12, 1)
    const report = await verified(directory)
    expect(damagesOf(report).map((text) => text.slice(20))).toEqual([
      '.index: 1 wrong entry',
      '.timeindex: 1 wrong entry',
    ])
  })

  it('an index that is missing, empty, cut or zeroed is damage; a time index is made when it is asked for', async () => {
    const { directory, bases } = await writtenLog(format, { records: 450, segmentBytes: 10_000 })
    const index = (i: number): string => segmentFile(directory, bases[i] as number, 'index')
    await rm(index(0))
    await truncate(index(1), 0)
    await truncate(index(2), 16)
    const { size } = await stat(index(3))
    await writeFile(index(3), Buffer.alloc(size))
    await rm(segmentFile(directory, bases[0] as number, 'timeindex'))
    const found = damagesOf(await verified(directory)).map((text) => text.slice(20))
    expect(found.sort()).toEqual([
      expect.stringMatching(/^\.index: ends early: nothing in it is of the last \d+ bytes$/),
      expect.stringMatching(/^\.index: ends early: nothing in it is of the last \d+ bytes$/),
      '.index: is empty, and the log is not',
      '.index: is missing',
    ])
  })

  it('a segment that is missing in between is a gap', async () => {
    const { directory, bases } = await writtenLog(format)
    const [, gone, next] = bases as [number, number, number]
    for (const ending of ['log', 'index', 'timeindex']) await rm(segmentFile(directory, gone, ending))
    const report = await verified(directory)
    expect(report.damages).toMatchObject([{ kind: 'gap', firstOffset: gone, nextOffset: next }])
  })

  it('a segment that was cut is torn, or ends early', async () => {
    const { directory, bases } = await writtenLog(format)
    const [first, second, third] = bases as [number, number, number]
    const { size } = await stat(segmentFile(directory, first, 'log'))
    await truncate(segmentFile(directory, first, 'log'), size - 5)
    expect((await verified(directory)).damages).toMatchObject([
      { kind: 'torn', firstOffset: second - 1, nextOffset: second },
    ])
    await truncate(segmentFile(directory, second, 'log'), 0)
    const { damages } = await verified(directory)
    expect(damages[1]).toMatchObject({ kind: 'gap', firstOffset: second, nextOffset: third })
  })

  it('zeroes and rubbish behind the end are damage', async () => {
    const { directory, bases } = await writtenLog(format)
    const last = segmentFile(directory, bases.at(-1) as number, 'log')
    for (const byte of [0, 0x7f]) {
      const { size } = await stat(last)
      await appendFile(last, Buffer.alloc(100, byte))
      expect((await verified(directory)).damages).toMatchObject([{ kind: 'no entry', position: size, length: 100 }])
      await truncate(last, size)
    }
  })
})

test('what compaction left may lack offsets, also while it is on its way into place', async () => {
  const directory = await temporaryDirectory()
  const batch = (baseOffset: number): Buffer => compactedBatch({ baseOffset, lastOffsetDelta: 4, deltas: [1, 2] })
  await writeCompacted(directory, 0, [batch(3), batch(20)])
  await writeDense(directory, 40, [batch(40)])
  const log = segmentFile(directory, 0, 'log')
  const inLogs = async (): Promise<unknown[]> => {
    const { damages } = await verified(directory)
    return damages.filter(({ kind }) => kind !== 'index').map(({ kind, firstOffset }) => [kind, firstOffset])
  }
  expect(await inLogs()).toEqual([])
  await rename(log, `${log}.swap-40`)
  for (const replaced of [0, 25]) await writeFile(segmentFile(directory, replaced, 'log'), 'rubbish')
  expect(await inLogs()).toEqual([])
  expect(await verified(directory)).toMatchObject({ segments: 2, entries: 3, logEndOffset: 45 })
  await rm(segmentFile(directory, 25, 'log'))
  await rename(`${log}.swap-40`, log)
  await rm(segmentFile(directory, 0, 'compacted'))
  expect(await inLogs()).toEqual([
    ['offset', 0],
    ['gap', 25],
  ])
})

test('a producer snapshot that is damaged is found', async () => {
  const { directory } = await writtenLog('kafka')
  const snapshot = (await readdir(directory)).find((name) => name.endsWith('.snapshot')) as string
  await flipBits(join(directory, snapshot), 20)
  expect(damagesOf(await verified(directory))).toEqual([`${snapshot}: is damaged`])
})

describe('the directory of a broker', () => {
  /** Behind a clean stop: 30 records in each of two partitions of three, in several segments. */
  async function written(): Promise<string> {
    const dataDir = await temporaryDirectory()
    const { port, stop } = await startBroker({ dataDir, segmentBytes: 10_000 })
    const client = await Client.connect({ port })
    await client.createTopic('flights', 3)
    for (let i = 0; i < 60; i++) {
      await client.produce('flights', [{ key: `k${i}`, value: 'x'.repeat(500) }], { partition: i % 2 })
    }
    await client.close()
    await stop()
    return dataDir
  }

  async function reports(path: string): Promise<LogReport[]> {
    const { logs, state: found } = await findTarget(path)
    const state = found && (await VerifiedState.open(found))
    try {
      return await Promise.all(logs.map((log) => verifyLog(log, state, () => {})))
    } finally {
      state?.close()
    }
  }
  const segments = async (directory: string): Promise<string[]> =>
    (await baseOffsets(directory)).map((base) => segmentFile(directory, base, 'log'))

  it('is sound, and stays as it is', async () => {
    const clean = await written()
    const before = await readdir(clean, { recursive: true })
    const { code, stdout, stderr } = await runCli(['verify', clean])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^flights\/0: 2 segments, 30 entries, \d+ bytes, offsets 0 to 30: sound$/m)
    expect(stdout).toMatch(/^\d+ logs, \d+ segments, \d+ entries, \d+ bytes: sound\n$/m)
    expect(await readdir(clean, { recursive: true })).toEqual(before)
    expect(await reports(join(clean, 'flights'))).toMatchObject([
      { partition: 0 },
      { partition: 1, entries: 30 },
      { partition: 2, entries: 0, damages: [] },
    ])
    expect(await reports(join(clean, 'flights', '1'))).toMatchObject([{ topic: 'flights', partition: 1, damages: [] }])
  })

  it('its own directory holds no log', async () => {
    await expect(findTarget(join(await written(), '@broker'))).rejects.toThrow(/holds no log/)
  })

  it('the first segment or the last is missed by the checkpoints', async () => {
    const directory = await written()
    const first = (await segments(join(directory, 'flights', '0')))[0] as string
    const last = (await segments(join(directory, 'flights', '1'))).at(-1) as string
    await rm(first)
    await rm(last)
    const [zero, one] = await reports(join(directory, 'flights'))
    const [base, end] = [zero?.logStartOffset, one?.logEndOffset]
    expect(zero?.damages).toMatchObject([{ kind: 'segments', firstOffset: 0, nextOffset: base }])
    expect(one?.damages).toMatchObject([{ kind: 'segments', firstOffset: end, nextOffset: 30 }])
    const { code, stdout, stderr } = await runCli(['verify', directory, '--json'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({
      directory: join(directory, '@broker'),
      live: false,
      cleanShutdown: true,
      damages: [],
    })
    expect(lines.at(-1)).toMatchObject({ damageCount: 2 })
  })

  it('a torn end is lost below the recovery point, and above it what the next start cuts off', async () => {
    const directory = await written()
    const log = join(directory, 'flights', '0')
    const last = (await segments(log)).at(-1) as string
    const bytes = await readFile(last)
    await truncate(last, bytes.length - 3)
    expect((await reports(log))[0]?.damages).toMatchObject([{ kind: 'torn', firstOffset: 29, nextOffset: 30 }])
    await writeFile(last, Buffer.concat([bytes, bytes.subarray(0, 100)]))
    await rm(join(directory, '@broker', 'clean-shutdown'))
    const { code, stdout } = await runCli(['verify', log])
    expect(code).toBe(1)
    expect(stdout).toContain('the last stop was not clean: the next start recovers\n')
    expect(stdout).toContain('not known to have been on the disk, the next start cuts it off\n')
  })

  it('a checkpoint, the metadata of a partition and a whole partition are missed', async () => {
    const directory = await written()
    await appendFile(join(directory, '@broker', 'log-start-offset-checkpoint'), 'flights\n')
    await writeFile(join(directory, 'flights', '1', 'partition.metadata'), 'version: 9\n')
    await appendFile(join(directory, '@broker', 'meta.properties'), 'version=7\n')
    await rm(join(directory, 'flights', '2'), { recursive: true })
    const { code, stdout, stderr } = await runCli(['verify', directory])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'mykafka verify: damage found: 4 in 2 logs\n' })
    expect(stdout).toContain('log-start-offset-checkpoint: is no checkpoint: it counts as empty\n')
    expect(stdout).toContain('meta.properties: format version 7')
    expect(stdout).toContain('partition.metadata: is missing or says nothing that is known\n')
    expect(stdout).toContain(`${join(directory, 'flights', '2')}: the partition is not there\n`)
  })

  it('the first partition and a whole topic are missed; one that was perhaps deleted is a note', async () => {
    const directory = await written()
    await rm(join(directory, 'flights', '0'), { recursive: true })
    const first = await runCli(['verify', directory])
    expect(first.code).toBe(1)
    expect(first.stdout).toContain(`${join(directory, 'flights', '0')}: the partition is not there\n`)
    await rm(join(directory, 'flights'), { recursive: true })
    const whole = await runCli(['verify', directory])
    expect(whole.code).toBe(1)
    for (const number of ['0', '1', '2']) {
      expect(whole.stdout).toContain(`${join(directory, 'flights', number)}: the partition is not there\n`)
    }
    await rm(join(directory, '@broker', 'clean-shutdown'))
    const unclean = await runCli(['verify', directory])
    expect(unclean.code).toBe(0)
    expect(unclean.stdout).toContain(
      'note: the recovery points tell of flights, which is not there: deleted, or lost\n',
    )
  })
})

test('a broker that runs: only with --live, below the recovery points', async () => {
  const { dataDir, port } = await startBroker({ segmentBytes: 5_000, fsync: 'acks' })
  const client = await Client.connect({ port })
  await client.createTopic('flights', 1)
  for (let i = 0; i < 40; i++) await client.produce('flights', [{ key: `k${i}`, value: 'x'.repeat(500) }])
  const checkpoint = join(dataDir, '@broker', 'recovery-point-offset-checkpoint')
  await expect.poll(() => readFile(checkpoint, 'utf8')).toMatch(/^flights 0 [1-9]/m)
  const refused = await runCli(['verify', dataDir])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(/^mykafka verify: DATA_DIR_LOCKED: .* --live\n$/)
  const { code, stdout } = await runCli(['verify', dataDir, '--live'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^flights\/0: .* offsets 0 to [1-9]\d* \(recovery point\): sound$/m)
  await client.close()
})

test('beside a broker, a topic that is deleted meanwhile is no damage', async () => {
  const { dataDir, port } = await startBroker()
  const client = await Client.connect({ port })
  await client.createTopic('stays', 1)
  await client.createTopic('goes', 2)
  const target = await findTarget(dataDir)
  const state = await VerifiedState.open(target.state as NonNullable<typeof target.state>)
  await rm(join(dataDir, 'goes'), { recursive: true })
  for (const log of target.logs) {
    const report = await verifyLog(log, state, () => {})
    const notes = log.topic === 'goes' ? [`${log.directory} was deleted meanwhile`] : []
    expect(report).toMatchObject({ topic: log.topic, damages: [], notes })
  }
  expect(await missingPartitions(target, state)).toEqual([])
  state.close()
  await client.close()
})

test('a log that a program has embedded: live while it is open, sound behind its closing', async () => {
  const directory = await temporaryDirectory()
  const log = await Log.open(directory, { segmentBytes: 2000 })
  for (let i = 0; i < 50; i++) await log.append({ key: `k${i}`, value: 'x'.repeat(100) })
  const look = async (): Promise<{ live: boolean; report: LogReport }> => {
    const { logs, state: found } = await findTarget(directory)
    const state = await VerifiedState.open(found as NonNullable<typeof found>)
    const report = await verifyLog(logs[0] as LogDirectory, state, () => {})
    state.close()
    return { live: state.live, report }
  }
  expect(await look()).toMatchObject({ live: true, report: { topic: null, damages: [] } })
  await log.close()
  expect(await look()).toMatchObject({ live: false, report: { entries: 50, damages: [], notes: [] } })
  await rm(segmentFile(directory, (await baseOffsets(directory)).at(-1) as number, 'log'))
  expect((await look()).report.damages).toMatchObject([{ kind: 'segments', nextOffset: 50 }])
})

test('what holds no log', async () => {
  const directory = await temporaryDirectory()
  await expect(findTarget(join(directory, 'nothing'))).rejects.toThrow(/^ENOENT/)
  await expect(findTarget(directory)).rejects.toThrow(/holds no log: it is neither a data directory nor one of /)
})
