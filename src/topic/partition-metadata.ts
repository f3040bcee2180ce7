import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The file in a partition's directory that says which topic it belongs to. */
export const PARTITION_METADATA = 'partition.metadata'

/** How a partition's entries are stored (DESIGN.md section 4); fixed when the topic is made. */
export type RecordFormat = 'mykafka'

export interface PartitionMetadata {
  topicId: string
  recordFormat: RecordFormat
}

export function encodePartitionMetadata({ topicId, recordFormat }: PartitionMetadata): string {
  return `version: 0\ntopic_id: ${topicId}\nrecord.format: ${recordFormat}\n`
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
  const recordFormat = fields.get('record.format')
  if (fields.get('version') !== '0' || topicId === undefined || recordFormat !== 'mykafka') return null
  return { topicId, recordFormat }
}
