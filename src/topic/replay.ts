import type { MyKafkaError } from '../errors.js'
import { readRecords } from '../log/log-records.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { LogRecord } from '../log/record-codec.js'
import type { Logger } from '../logger.js'

const REPLAY_BYTES = 4 << 20

/**
 * Hands every record of an internal topic to `onRecord`, in order. Damaged offsets are reported and passed over:
 * what lies behind them still counts.
 */
export async function replay(log: PartitionLog, logger: Logger, onRecord: (record: LogRecord) => void): Promise<void> {
  let offset = log.logStartOffset
  while (offset < log.logEndOffset) {
    let records: LogRecord[]
    try {
      records = await readRecords(log, offset, REPLAY_BYTES)
    } catch (error) {
      const damage = log.damages().find((range) => range.firstOffset <= offset && offset < range.nextOffset)
      if ((error as MyKafkaError).code !== 'CORRUPT_MESSAGE' || damage === undefined) throw error
      logger.error({ directory: log.directory, from: offset, to: damage.nextOffset }, 'damaged records are passed over')
      offset = damage.nextOffset
      continue
    }
    for (const record of records) onRecord(record)
    offset = (records.at(-1)?.offset ?? log.logEndOffset - 1) + 1
  }
}
