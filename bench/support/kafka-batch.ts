import { encodeBatch } from '../../src/log/record-batch-encoder.js'

const HEAD_BYTES = 61
/** Of a small record: its length, attributes, deltas, and the lengths of key, value and headers. */
const LEAST_OVERHEAD = 7

export interface ExactBatch {
  readonly bytes: Buffer
  readonly records: number
}

/**
 * A record batch of exactly so many bytes, so that ranges of a log that holds nothing else are whole batches. Its
 * values are of this length; the last one is longer, to fill it up.
 */
export function exactBatch(batchBytes: number, valueBytes: number): ExactBatch {
  const values = Array.from({ length: Math.floor((batchBytes - HEAD_BYTES) / (valueBytes + LEAST_OVERHEAD)) }, () =>
    Buffer.alloc(valueBytes, 'mykafka '),
  )
  while (encoded(values).length > batchBytes) values.pop()
  const last = values.length - 1
  for (let longer = 0; ; longer++) {
    values[last] = Buffer.alloc(valueBytes + longer, 'mykafka ')
    const bytes = encoded(values)
    if (bytes.length === batchBytes) return { bytes, records: values.length }
    if (bytes.length > batchBytes) throw new Error(`no batch has ${batchBytes} bytes with values of ${valueBytes}`)
  }
}

function encoded(values: readonly Buffer[]): Buffer {
  const timestamp = Date.now()
  return encodeBatch(values.map((value, offset) => ({ offset, timestamp, key: null, value })))
}
