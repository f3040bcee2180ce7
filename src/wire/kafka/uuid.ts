import { MyKafkaError } from '../../errors.js'

/** The id of nothing, in Kafka's text of ids: 16 zero bytes as base64url. */
export const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA'

const UUID_BYTES = 16
const UUID_TEXT = /^[A-Za-z0-9_-]{21}[AQgw]$/

/**
 * Writes the 16 bytes that the text says.
 *
 * @throws MyKafkaError INVALID_ARGUMENT where it says something else
 */
export function writeUuid(bytes: Buffer, text: string, position: number): void {
  if (text === ZERO_UUID) {
    bytes.fill(0, position, position + UUID_BYTES)
    return
  }
  if (!UUID_TEXT.test(text)) throw new MyKafkaError('INVALID_ARGUMENT', `"${text}" is no id of 16 bytes in base64`)
  bytes.write(text, position, UUID_BYTES, 'base64url')
}
