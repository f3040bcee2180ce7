import { MyKafkaError } from '../../errors.js'
import { type FieldInput, lengthOfKey, lengthOfValue, MAX_KEY_BYTES, PACKED_OVERHEAD } from '../../log/record-codec.js'

/** A record to be sent. */
export interface ProducerRecord {
  readonly topic: string
  /** Absent or null: a null key, which is not the empty one. A string goes out as UTF-8. */
  readonly key?: FieldInput | undefined
  /** null: a tombstone. */
  readonly value: FieldInput
  /** Absent: the producer chooses, by the key where there is one. */
  readonly partition?: number | undefined
}

/** What one record may take. */
export interface RecordLimits {
  readonly maxRequestSize: number
  readonly bufferMemory: number
}

/**
 * Checks a record; returns what it takes in a batch at the most. Text is measured only where it could be too long.
 *
 * @throws MyKafkaError INVALID_ARGUMENT, MESSAGE_TOO_LARGE
 */
export function boundOf({ key = null, value, partition }: ProducerRecord, limits: RecordLimits): number {
  if (partition !== undefined && !(Number.isInteger(partition) && partition >= 0)) {
    throw new MyKafkaError('INVALID_ARGUMENT', `partition must be an integer from 0 on, not ${String(partition)}`)
  }
  const keyBound = fieldBound(key, 'key')
  const bound = PACKED_OVERHEAD + keyBound + fieldBound(value, 'value')
  const limit = Math.min(limits.maxRequestSize, limits.bufferMemory)
  if (bound <= limit && keyBound <= MAX_KEY_BYTES) return bound
  const exact = PACKED_OVERHEAD + lengthOfKey(key) + lengthOfValue(value)
  if (exact <= limit) return exact
  const which = limit === limits.maxRequestSize ? 'maxRequestSize' : 'bufferMemory'
  throw new MyKafkaError('MESSAGE_TOO_LARGE', `a record of ${exact} bytes is larger than the ${limit} of ${which}`)
}

/** UTF-8 takes up to three bytes for a unit of UTF-16. */
function fieldBound(field: FieldInput, name: string): number {
  if (typeof field === 'string') return 3 * field.length
  if (field instanceof Uint8Array) return field.length
  if (field === null) return 0
  throw new MyKafkaError('INVALID_ARGUMENT', `a record's ${name} must be a string, a Uint8Array or null`)
}
