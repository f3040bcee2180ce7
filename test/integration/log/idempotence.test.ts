import { mkdir, readdir, readFile, rmdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { MyKafkaError } from '../../../src/errors.js'
import type { AppendResult, PackedBatch } from '../../../src/log/append-queue.js'
import { replaceFile } from '../../../src/log/durable-file.js'
import { type LogConfig, resolveLogConfig } from '../../../src/log/log-config.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import type { ProducerBatch } from '../../../src/log/producer-state.js'
import { BATCH_AT } from '../../../src/log/record-batch.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import type { RecordFormat } from '../../../src/log/record-format.js'
import { silentLogger } from '../../../src/logger.js'
import { native } from '../../../src/native/load.js'
import { BATCH } from '../../../src/native/native.js'
import { crashedCopy } from '../../support/crashed-copy.js'
import { type BatchVector, batchVectors } from '../../support/record-batches.js'
import { temporaryDirectory } from '../../support/temporary.js'

function openLog(
  directory: string,
  recordFormat: RecordFormat,
  clean = true,
  settings: Partial<LogConfig> = {},
): Promise<PartitionLog> {
  const config = resolveLogConfig({ fsync: 'never', recordFormat, ...settings })
  return PartitionLog.open(directory, { config, logger: silentLogger, clean, recoveryPoint: 0, logStartOffset: 0 })
}

/** A client's batch, of the producer that is given. */
const kafkaBatch = (batchVectors.find(({ codec, records }) => codec === 0 && records.length === 1) as BatchVector).bytes

function packedBatch(producer: ProducerBatch, recordFormat: RecordFormat): PackedBatch {
  if (recordFormat === 'mykafka') {
    const records = encodePacked([{ key: null, value: JSON.stringify(producer) }])
    return { records, count: 1, timestamp: 1, storedLength: native.checkPacked(records, 1) }
  }
  const records = Buffer.from(kafkaBatch)
  records.writeBigInt64BE(BigInt(producer.producerId), BATCH_AT.producerId)
  records.writeInt16BE(producer.producerEpoch, BATCH_AT.producerEpoch)
  records.writeInt32BE(producer.baseSequence, BATCH_AT.baseSequence)
  records.writeUInt32BE(native.crc32c(records.subarray(BATCH_AT.attributes)), BATCH_AT.crc)
  native.checkBatch(records, records.length, new Float64Array(BATCH.fields))
  return { records, count: 1, timestamp: -1, storedLength: records.length }
}

/** Writes one record as the producer's batch with this sequence number. */
function send(log: PartitionLog, baseSequence: number, { epoch = 0, acks = 1 as 1 | 'all', id = 1 } = {}) {
  const producer = { producerId: id, producerEpoch: epoch, baseSequence, recordCount: 1 }
  return log.append([packedBatch(producer, log.config.recordFormat)], acks, producer)
}

const snapshotsIn = async (directory: string): Promise<number[]> =>
  (await readdir(directory))
    .filter((name) => name.endsWith('.snapshot'))
    .map((name) => Number.parseInt(name, 10))
    .sort((x, y) => x - y)

const PLAIN = { producerId: -1, producerEpoch: -1, baseSequence: -1, recordCount: 1 }
const outOfOrder = expect.objectContaining({ code: 'OUT_OF_ORDER_SEQUENCE_NUMBER' })

describe.each(['mykafka', 'kafka'] as const)('an idempotent producer, of a log of %s entries,', (format) => {
  it('has each batch written once, however often and however near to each other it comes', async () => {
    const log = await openLog(await temporaryDirectory(), format)
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
    const log = await openLog(await temporaryDirectory(), format)
    const results = await Promise.allSettled([0, 2, 3, 1].map((sequence) => send(log, sequence)))
    expect(results).toEqual([
      { status: 'fulfilled', value: { baseOffset: 0, count: 1 } },
      { status: 'rejected', reason: outOfOrder },
      { status: 'rejected', reason: outOfOrder },
      { status: 'fulfilled', value: { baseOffset: 1, count: 1 } },
    ])
    await log.close()
  })

  it('has batches that follow each other written at once', async () => {
    const log = await openLog(await temporaryDirectory(), format)
    await send(log, 0)
    const writes: number[] = []
    const unsubscribe = log.onGrowth((bytes) => writes.push(bytes))
    const results = await Promise.all([
      send(log, 1),
      send(log, 0, { id: 2 }),
      send(log, 2),
      send(log, 3, { acks: 'all' }),
      send(log, 1, { id: 2 }),
    ])
    expect(results.map(({ baseOffset }: AppendResult) => baseOffset)).toEqual([1, 2, 3, 4, 5])
    expect(writes).toHaveLength(1)
    unsubscribe()
    expect(await send(log, 3)).toEqual({ baseOffset: 4, count: 1, duplicate: true })
    await expect(send(log, 5)).rejects.toEqual(outOfOrder)
    await log.close()
  })

  it('does not hold up others in the same write', async () => {
    const log = await openLog(await temporaryDirectory(), format)
    const results = await Promise.all([
      send(log, 0),
      log.append([packedBatch(PLAIN, format)], 1),
      send(log, 0, { id: 2 }),
    ])
    expect(results.map(({ baseOffset }: AppendResult) => baseOffset)).toEqual([0, 1, 2])
    await log.close()
  })

  it('whose first batch the disk did not take begins with that, whatever it had under way behind it', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, format, true, { segmentBytes: 1024 })
    const filler = () => packedBatch({ producerId: 2, producerEpoch: 0, baseSequence: 0, recordCount: 1 }, format)
    const full = Math.floor(1024 / filler().storedLength)
    for (let count = 0; count < full; count++) await log.append([filler()], 1)
    // In the place of the file that the next segment is to be.
    const obstacle = join(directory, `${String(full).padStart(20, '0')}.log`)
    await mkdir(obstacle)
    await expect(send(log, 0)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
    await rmdir(obstacle)
    await expect(send(log, 1)).rejects.toEqual(outOfOrder)
    expect((await send(log, 0)).baseOffset).toBe(full)
    expect((await send(log, 1)).baseOffset).toBe(full + 1)
    await log.close()
  })

  it('is known again behind a clean stop', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, format)
    for (let sequence = 0; sequence < 10; sequence++) await send(log, sequence)
    await log.close()
    const again = await openLog(directory, format)
    expect(await send(again, 6)).toEqual({ baseOffset: 6, count: 1, duplicate: true })
    await expect(send(again, 11)).rejects.toEqual(outOfOrder)
    expect(await send(again, 10)).toEqual({ baseOffset: 10, count: 1 })
    await again.close()
    expect(await snapshotsIn(directory)).toEqual([10, 11])
  })

  it.each(['empty', 'damaged'])('may go on where its snapshot is %s', async (how) => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, format)
    for (let sequence = 0; sequence < 3; sequence++) await send(log, sequence)
    await log.close()
    const snapshot = join(directory, '00000000000000000003.snapshot')
    const bytes = await readFile(snapshot)
    bytes[12] = (bytes[12] as number) ^ 1
    await writeFile(snapshot, how === 'empty' ? '' : bytes)
    const again = await openLog(directory, format)
    expect(await send(again, 3)).toEqual({ baseOffset: 3, count: 1 })
    await again.close()
  })

  it('may go on where the log was cut', async () => {
    const log = await openLog(await temporaryDirectory(), format)
    for (let sequence = 0; sequence < 5; sequence++) await send(log, sequence)
    await log.truncateTo(3)
    expect(await send(log, 3)).toEqual({ baseOffset: 3, count: 1 })
    await log.close()
  })

  it('is forgotten behind producer.id.expiration.ms', async () => {
    const log = await openLog(await temporaryDirectory(), format, true, { producerIdExpirationMs: 1 })
    await send(log, 0)
    const before = Date.now()
    while (Date.now() < before + 3) await new Promise((resolve) => setImmediate(resolve))
    expect(await send(log, 7)).toEqual({ baseOffset: 1, count: 1 })
    await log.close()
  })

  it(`is ${format === 'kafka' ? 'known' : 'a new one'} behind a crash`, async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, format)
    for (let sequence = 0; sequence < 8; sequence++) await send(log, sequence)
    const again = await openLog(await crashedCopy(directory), format, false)
    if (format === 'kafka') {
      for (let sequence = 3; sequence < 8; sequence++) {
        expect(await send(again, sequence)).toEqual({ baseOffset: sequence, count: 1, duplicate: true })
      }
      await expect(send(again, 9)).rejects.toEqual(outOfOrder)
    }
    expect(await send(again, 8)).toEqual({ baseOffset: 8, count: 1 })
    await again.close()
    await log.close()
  })

  it('goes on behind a crash where its log was longer at the clean stop before', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, format)
    for (let sequence = 0; sequence < 4; sequence++) await send(log, sequence)
    await log.close()
    // The clean stop's snapshot is of offset 4; the crash lost the last record, which then was another's.
    const file = join(directory, `${'0'.repeat(20)}.log`)
    const { size } = await stat(file)
    await truncate(file, size - 1)
    const again = await openLog(directory, format, false)
    expect(again.logEndOffset).toBe(3)
    expect(await send(again, 3)).toEqual({ baseOffset: 3, count: 1 })
    await again.close()
  })
})

describe('the snapshots of a kafka log', () => {
  it('spare a start behind a crash all but the last segment, and are not trusted where they are damaged', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, 'kafka', true, { segmentBytes: 1024 })
    for (let sequence = 0; sequence < 100; sequence++) await send(log, sequence)
    // The last one is there, and the one that it takes the place of is gone.
    await vi.waitUntil(async () => {
      const snapshots = await snapshotsIn(directory)
      const bases = (await readdir(directory))
        .filter((name) => name.endsWith('.log'))
        .map((name) => Number.parseInt(name, 10))
      return snapshots.length <= 2 && snapshots.at(-1) === Math.max(...bases)
    })
    const crashed = await crashedCopy(directory)
    const snapshots = await snapshotsIn(crashed)
    expect(snapshots.length).toBeGreaterThan(0)
    for (const offset of snapshots) {
      const again = await openLog(crashed, 'kafka', false, { segmentBytes: 1024 })
      expect(await send(again, 97)).toEqual({ baseOffset: 97, count: 1, duplicate: true })
      await expect(send(again, 101)).rejects.toEqual(outOfOrder)
      await again.close()
      await writeFile(join(crashed, `${String(offset).padStart(20, '0')}.snapshot`), 'damaged')
    }
    await log.close()
  })

  it('are not written behind a discard: the directory may be that of another log then', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, 'kafka', true, { segmentBytes: 1024 })
    await Promise.all(Array.from({ length: 30 }, (_, sequence) => send(log, sequence)))
    await log.discard(new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'the topic is gone'))
    const names = await readdir(directory)
    // As long as a snapshot takes.
    await replaceFile(join(await temporaryDirectory(), 'another'), 'bytes')
    expect(await readdir(directory)).toEqual(names)
  })

  it('above a cut are gone, also one that was being written', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory, 'kafka', true, { segmentBytes: 1024 })
    await Promise.all(Array.from({ length: 30 }, (_, sequence) => send(log, sequence)))
    await log.truncateTo(1)
    log.reconfigure({ ...log.config, segmentBytes: 1 << 20 })
    for (let sequence = 0; sequence < 30; sequence++) await send(log, sequence, { id: 2 })
    const again = await openLog(await crashedCopy(directory), 'kafka', false)
    expect(await send(again, 1)).toEqual({ baseOffset: 31, count: 1 })
    await again.close()
    await log.close()
  })
})

it('a producer is remembered though retention removes all that it wrote, and the snapshots of what is gone go', async () => {
  const directory = await temporaryDirectory()
  const log = await openLog(directory, 'kafka', true, { segmentBytes: 1024, retentionBytes: 0, fileDeleteDelayMs: 0 })
  for (let i = 0; i < 60; i++) await send(log, i)
  expect(log.segments().length).toBeGreaterThan(2)
  expect(await log.retention.expire(0)).toBe(true)
  await log.retention.removeBelow(60, 0)
  expect(log).toMatchObject({ logStartOffset: 60, logEndOffset: 60 })
  expect(await snapshotsIn(directory)).toEqual([60])
  const again = await openLog(await crashedCopy(directory), 'kafka', false)
  expect(again).toMatchObject({ logStartOffset: 60, logEndOffset: 60 })
  expect(await send(again, 59)).toEqual({ baseOffset: 59, count: 1, duplicate: true })
  await expect(send(again, 61)).rejects.toEqual(outOfOrder)
  expect(await send(again, 60)).toEqual({ baseOffset: 60, count: 1 })
  await log.close()
  await again.close()
})
