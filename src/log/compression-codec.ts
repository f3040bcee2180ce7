import { MyKafkaError } from '../errors.js'

/** The codecs of record batches, by their number in a batch's attributes. */
export const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

/** The name of a codec, as `compression.type` has it. */
export type CodecName = (typeof CODECS)[number]

/**
 * Where the work is done. `here`: little of it at once, on the event loop's thread, which takes less time than handing it
 * to another. `aside`: on another thread, where the codec can.
 */
export type Where = 'here' | 'aside'

/** Decompresses to `maxBytes` at the most. */
export type Decompress = (bytes: Buffer, maxBytes: number, where: Where) => Promise<Buffer>

/** What decompresses to more is not done on the event loop's thread. */
export const INLINE_BYTES = 256 << 10

/**
 * More blocks and frames of records are refused: each costs time and memory, however little is in it. What Kafka's
 * clients write has a block for 32 KiB or 64 KiB of records.
 */
export const MOST_BLOCKS = 1 << 16

/** What is compressed decompresses to more than is allowed. */
export function tooLarge(name: CodecName, maxBytes: number): MyKafkaError {
  return new MyKafkaError('MESSAGE_TOO_LARGE', `records compressed by ${name} are longer than ${maxBytes} bytes`)
}

/** The bytes are not what the codec writes. */
export function undecodable(name: CodecName, cause: unknown): MyKafkaError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new MyKafkaError('INVALID_RECORD', `records cannot be decompressed by ${name}: ${why}`, { cause })
}
