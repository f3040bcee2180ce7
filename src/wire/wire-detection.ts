import { DEFAULT_MAX_FRAME_BYTES } from './frame-decoder.js'

/** What a connection speaks. */
export type Wire = 'mykafka' | 'kafka'

const PREFIX_BYTES = 4
/** The bytes of a frame that decide: MyKafka's api key and topic length, the ends of Kafka's api key and version. */
const DECIDING_BYTES = 3
const LAST_CALL = 7
const MAX_TOPIC_LENGTH = 249

/**
 * Which wire the first frame of a connection belongs to (docs/protocol.md).
 *
 * Byte 0 of a Kafka frame is the high byte of its api key, always 0; MyKafka's calls other than PRODUCE have their
 * number there. Where it is 0, the int16 behind it is a topic length (1–249) in a PRODUCE. In a Kafka frame it is
 * the api key's low byte and the version's high byte, so 0 or at least 256.
 *
 * @param frame - the frame without its length prefix, or its beginning
 * @returns 'unknown' for neither wire
 */
export function wireOfFrame(frame: Uint8Array): Wire | 'unknown' {
  if (frame.length < DECIDING_BYTES) return 'unknown'
  const first = frame[0] as number
  if (first >= 1 && first <= LAST_CALL) return 'mykafka'
  if (first !== 0) return 'unknown'
  const topicLength = ((frame[1] as number) << 8) | (frame[2] as number)
  return topicLength >= 1 && topicLength <= MAX_TOPIC_LENGTH ? 'mykafka' : 'kafka'
}

/**
 * The same from the first bytes of a connection, the length prefix included. A length that no frame may have is
 * neither wire's: the greeting of TLS is such a one.
 *
 * @returns null where more bytes are needed; seven are enough
 */
export function detectWire(bytes: Uint8Array, maxFrameBytes = DEFAULT_MAX_FRAME_BYTES): Wire | 'unknown' | null {
  if (bytes.length < PREFIX_BYTES) return null
  const length =
    ((bytes[0] as number) << 24) | ((bytes[1] as number) << 16) | ((bytes[2] as number) << 8) | (bytes[3] as number)
  if (length < DECIDING_BYTES || length > maxFrameBytes) return 'unknown'
  if (bytes.length < PREFIX_BYTES + DECIDING_BYTES) return null
  return wireOfFrame(bytes.subarray(PREFIX_BYTES))
}
