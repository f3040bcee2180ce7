import type { PartitionLog } from '../../src/log/partition-log.js'
import { encodePacked } from '../../src/log/record-codec.js'
import { native } from '../../src/native/load.js'

/** Appends records with these values. Returns the offset of the first. */
export async function append(log: PartitionLog, ...values: string[]): Promise<number> {
  const records = encodePacked(values.map((value) => ({ key: null, value })))
  const count = values.length
  const batch = { records, count, timestamp: Date.now(), storedLength: native.checkPacked(records, count) }
  return (await log.append([batch], 1)).baseOffset
}
