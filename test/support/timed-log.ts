/** A log in a directory of its own, whose clock and timestamps a test decides. */

import type { PackedBatch } from '../../src/log/append-queue.js'
import { packedAsBatch } from '../../src/log/conversion/packed-to-batch.js'
import { type LogConfig, resolveLogConfig } from '../../src/log/log-config.js'
import { PartitionLog, type PartitionLogOptions } from '../../src/log/partition-log.js'
import { encodePacked } from '../../src/log/record-codec.js'
import type { RecordFormat } from '../../src/log/record-format.js'
import { native } from '../../src/native/load.js'
import { behindEachTest } from './clean-up.js'
import { memoryLogger } from './memory-logger.js'
// Its directories are removed behind the logs that use them: hooks run in reverse order.
import './temporary.js'

export const DAY = 86_400_000
export const NOW = Date.UTC(2026, 10, 30)

const open = new Set<PartitionLog>()

behindEachTest(async () => {
  for (const log of open) await log.close()
  open.clear()
})

/** Opens a log that nothing is synced of, unless said otherwise. It is closed with the test. */
export async function openTimedLog(
  directory: string,
  settings: Partial<LogConfig> = {},
  options: Partial<PartitionLogOptions> = {},
): Promise<PartitionLog> {
  const log = await PartitionLog.open(directory, {
    config: resolveLogConfig({ fsync: 'never', ...settings }),
    logger: memoryLogger(),
    clean: true,
    recoveryPoint: 0,
    logStartOffset: 0,
    now: () => NOW,
    ...options,
  })
  open.add(log)
  return log
}

/** A record of some 100 bytes with this timestamp and value, as a log of the format takes it. */
export function recordOf(format: RecordFormat, timestamp: number, value: string): PackedBatch {
  const records = encodePacked([{ key: null, value: value.padEnd(72) }])
  if (format === 'mykafka') return { records, count: 1, timestamp, storedLength: native.checkPacked(records, 1) }
  const batch = packedAsBatch(records, 1, timestamp, false)
  return { records: batch, count: 1, timestamp: -1, storedLength: batch.length }
}

/** Appends records one after another, by their timestamps; the value of each is its offset. */
export async function appendAt(log: PartitionLog, ...timestamps: number[]): Promise<void> {
  for (const timestamp of timestamps) {
    await log.append([recordOf(log.config.recordFormat, timestamp, String(log.logEndOffset))], 1)
  }
}

/** Ten records of each timestamp, in a segment of their own. */
export async function fillSegments(log: PartitionLog, ...timestamps: number[]): Promise<void> {
  for (const timestamp of timestamps) await appendAt(log, ...Array.from({ length: 10 }, () => timestamp))
}

/** So that ten records of {@link recordOf} fill a segment. */
export const TEN_RECORDS = { mykafka: 1024, kafka: 1500 } as const
