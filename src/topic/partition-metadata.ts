import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RECORD_FORMATS, type RecordFormat } from '../log/record-format.js'
import { MAX_PARTITIONS } from './partition-count.js'

/** The file in a partition's directory that says which topic it belongs to. */
export const PARTITION_METADATA = 'partition.metadata'

export interface PartitionMetadata {
  topicId: string
  /** How many partitions the topic had when this one was made. */
  partitionCount: number
  /** Fixed when the topic is made. */
  recordFormat: RecordFormat
}

export function encodePartitionMetadata({ topicId, partitionCount, recordFormat }: PartitionMetadata): string {
  return `version: 0\ntopic_id: ${topicId}\npartition.count: ${partitionCount}\nrecord.format: ${recordFormat}\n`
}

/** Null where the file is missing or says something that this version does not know. */
export async function readPartitionMetadata(directory: string): Promise<PartitionMetadata | null> {
  let text: string
  try {
    text = await readFile(join(directory, PARTITION_METADATA), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const fields = new Map(text.split('\n').map((line) => line.split(': ', 2) as [string, string]))
  const topicId = fields.get('topic_id')
  const recordFormat = RECORD_FORMATS.find((format) => format === fields.get('record.format'))
  const partitionCount = Number(fields.get('partition.count'))
  if (fields.get('version') !== '0' || topicId === undefined || recordFormat === undefined) return null
  // A count that has rotted is not to be believed: a start makes room for so many.
  if (!Number.isInteger(partitionCount) || partitionCount < 1 || partitionCount > MAX_PARTITIONS) return null
  return { topicId, partitionCount, recordFormat }
}
