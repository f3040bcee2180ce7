import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AppendResult, PackedBatch } from '../../../src/log/append-queue.js'
import { resolveLogConfig } from '../../../src/log/log-config.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import { silentLogger } from '../../../src/logger.js'
import { native } from '../../../src/native/load.js'
import { temporaryDirectory } from '../../support/temporary.js'

function openLog(directory: string, clean: boolean, settings = {}): Promise<PartitionLog> {
  const config = resolveLogConfig({ fsync: 'never', ...settings })
  return PartitionLog.open(directory, { config, logger: silentLogger, clean, recoveryPoint: 0, logStartOffset: 0 })
}

function packed(value: string): PackedBatch {
  const records = encodePacked([{ key: null, value }])
  return { records, count: 1, timestamp: 1, storedLength: native.checkPacked(records, 1) }
}

/** Writes one record as the producer's batch with this sequence number. */
function send(log: PartitionLog, baseSequence: number, { epoch = 0, acks = 1 as 1 | 'all', id = 1 } = {}) {
  const producer = { producerId: id, producerEpoch: epoch, baseSequence, recordCount: 1 }
  return log.append([packed(`${id} ${baseSequence}`)], acks, producer)
}

const outOfOrder = expect.objectContaining({ code: 'OUT_OF_ORDER_SEQUENCE_NUMBER' })

describe('an idempotent producer', () => {
  it('has each batch written once, however often and however near to each other it comes', async () => {
    const log = await openLog(await temporaryDirectory(), true)
    const twice = await Promise.all([0, 0, 1, 1, 2, 0].map((sequence) => send(log, sequence)))
    expect(twice.map(({ baseOffset, duplicate = false }) => [baseOffset, duplicate])).toEqual([
      [0, false],
      [0, true],
      [1, false],
      [1, true],
      [2, false],
      [0, true],
    ])
    expect(await send(log, 2, { acks: 'all' })).toEqual({ baseOffset: 2, count: 1, duplicate: true })
    expect(log.logEndOffset).toBe(3)
    await log.close()
  })

  it('is refused what leaves a gap, and what is behind it in the same write', async () => {
    const log = await openLog(await temporaryDirectory(), true)
    const results = await Promise.allSettled([0, 2, 3, 1].map((sequence) => send(log, sequence)))
    expect(results).toEqual([
      { status: 'fulfilled', value: { baseOffset: 0, count: 1 } },
      { status: 'rejected', reason: outOfOrder },
      { status: 'rejected', reason: outOfOrder },
      { status: 'fulfilled', value: { baseOffset: 1, count: 1 } },
    ])
    await log.close()
  })

  it('does not hold up others in the same write', async () => {
    const log = await openLog(await temporaryDirectory(), true)
    const results = await Promise.all([send(log, 0), log.append([packed('plain')], 1), send(log, 0, { id: 2 })])
    expect(results.map(({ baseOffset }: AppendResult) => baseOffset)).toEqual([0, 1, 2])
    await log.close()
  })

  it('is known again behind a clean stop', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, true)
    for (let sequence = 0; sequence < 10; sequence++) await send(log, sequence)
    await log.close()
    const again = await openLog(directory, true)
    expect(await send(again, 6)).toEqual({ baseOffset: 6, count: 1, duplicate: true })
    await expect(send(again, 11)).rejects.toEqual(outOfOrder)
    expect(await send(again, 10)).toEqual({ baseOffset: 10, count: 1 })
    await again.close()
    expect((await readdir(directory)).filter((name) => name.endsWith('.snapshot'))).toEqual([
      '00000000000000000010.snapshot',
      '00000000000000000011.snapshot',
    ])
  })

  it.each(['missing', 'damaged'])('may go on where its snapshot is %s', async (how) => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, true)
    for (let sequence = 0; sequence < 3; sequence++) await send(log, sequence)
    await log.close()
    const snapshot = join(directory, '00000000000000000003.snapshot')
    const bytes = await readFile(snapshot)
    bytes[12] = (bytes[12] as number) ^ 1
    await writeFile(snapshot, how === 'missing' ? '' : bytes)
    const again = await openLog(directory, true)
    expect(await send(again, 3)).toEqual({ baseOffset: 3, count: 1 })
    await again.close()
  })

  it('may go on where the log was cut', async () => {
    const log = await openLog(await temporaryDirectory(), true)
    for (let sequence = 0; sequence < 5; sequence++) await send(log, sequence)
    await log.truncateTo(3)
    expect(await send(log, 3)).toEqual({ baseOffset: 3, count: 1 })
    await log.close()
  })

  it('is forgotten behind producer.id.expiration.ms', async () => {
    const log = await openLog(await temporaryDirectory(), true, { producerIdExpirationMs: 1 })
    await send(log, 0)
    const before = Date.now()
    while (Date.now() < before + 3) await new Promise((resolve) => setImmediate(resolve))
    expect(await send(log, 7)).toEqual({ baseOffset: 1, count: 1 })
    await log.close()
  })
})
