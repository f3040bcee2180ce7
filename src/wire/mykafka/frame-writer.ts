import { MyKafkaError } from '../../errors.js'
import { writeInt64 } from '../../integers.js'

/** Bytes of the length prefix of a frame. */
export const LENGTH_PREFIX = 4

const MAX_NAME_LENGTH = 0x7fff
const MAX_INT32 = 0x7fffffff

/** Fills the buffer of one frame, whose size is known beforehand. */
export class FrameWriter {
  readonly buffer: Buffer
  #position = LENGTH_PREFIX + 1

  /**
   * @param payloadLength - bytes of the payload that go into `buffer`
   * @param following - bytes of the payload that follow it, from elsewhere
   */
  constructor(apiKey: number, payloadLength: number, following = 0) {
    const totalLength = 1 + payloadLength + following
    if (totalLength > MAX_INT32) {
      throw new MyKafkaError('MESSAGE_TOO_LARGE', `a frame of ${totalLength} bytes has no length prefix`)
    }
    this.buffer = Buffer.allocUnsafe(LENGTH_PREFIX + 1 + payloadLength)
    this.buffer.writeInt32BE(totalLength, 0)
    this.buffer[LENGTH_PREFIX] = apiKey
  }

  /** Where the next field goes. */
  get position(): number {
    return this.#position
  }

  int8(value: number): this {
    this.#position = this.buffer.writeInt8(value, this.#position)
    return this
  }

  int32(value: number): this {
    this.#position = this.buffer.writeInt32BE(value, this.#position)
    return this
  }

  int64(value: number): this {
    writeInt64(this.buffer, value, this.#position)
    this.#position += 8
    return this
  }

  /** `length` is what {@link nameLength} said of the same name. */
  name(name: string, length: number): this {
    this.buffer.writeInt16BE(length, this.#position)
    this.buffer.write(name, this.#position + 2, length, 'utf8')
    this.#position += 2 + length
    return this
  }

  bytes(bytes: Uint8Array): this {
    this.buffer.set(bytes, this.#position)
    this.#position += bytes.length
    return this
  }
}

/** Bytes of a topic's or group's name as UTF-8. */
export function nameLength(name: string): number {
  const length = Buffer.byteLength(name)
  if (length > MAX_NAME_LENGTH) {
    throw new MyKafkaError('INVALID_ARGUMENT', `a name of ${length} bytes is longer than ${MAX_NAME_LENGTH}`)
  }
  return length
}
