import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PackedBatch } from '../../../src/log/append-queue.js'
import { resolveLogConfig } from '../../../src/log/log-config.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import type { RecordFormat } from '../../../src/log/record-format.js'
import { segmentName } from '../../../src/log/segment-files.js'
import { silentLogger } from '../../../src/logger.js'
import { native } from '../../../src/native/load.js'
import { batchVector, toAppend } from '../../support/kafka-batches.js'

import { temporaryDirectory } from '../../support/temporary.js'

const LAST_END = Number.MAX_SAFE_INTEGER

/** An empty log whose next record gets the offset. */
async function openAt(offset: number, recordFormat: RecordFormat): Promise<PartitionLog> {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, `${segmentName(offset)}.log`), '')
  const config = resolveLogConfig({ recordFormat, fsync: 'never' })
  return PartitionLog.open(directory, {
    config,
    logger: silentLogger,
    clean: true,
    recoveryPoint: 0,
    logStartOffset: 0,
  })
}

function one(recordFormat: RecordFormat): PackedBatch {
  if (recordFormat === 'kafka') return toAppend(batchVector('one record'))
  const records = encodePacked([{ key: null, value: 'v' }])
  return { records, count: 1, timestamp: 1, storedLength: native.checkPacked(records, 1) }
}

it.each(['mykafka', 'kafka'] as const)('a log of %s ends at 2^53 - 1: what would go on is refused', async (format) => {
  const log = await openAt(LAST_END - 3, format)
  const refused = { code: 'KAFKA_STORAGE_ERROR', message: 'the offsets of the log are used up' }
  // Together, as a client sends them without waiting: one does not fit, the one behind it does.
  const appends = [1, 3, 1].map((count) =>
    log.append(
      Array.from({ length: count }, () => one(format)),
      1,
    ),
  )
  expect(await appends[0]).toMatchObject({ baseOffset: LAST_END - 3 })
  await expect(appends[1]).rejects.toMatchObject(refused)
  expect(await appends[2]).toMatchObject({ baseOffset: LAST_END - 2 })
  expect(await log.append([one(format)], 1)).toMatchObject({ baseOffset: LAST_END - 1 })
  for (let times = 0; times < 2; times++) await expect(log.append([one(format)], 1)).rejects.toMatchObject(refused)
  expect(log.logEndOffset).toBe(LAST_END)
  await log.close()
})
