import type { Socket } from 'node:net'
import { native } from '../native/load.js'
import type { NativeSocketSender } from '../native/native.js'
import type { ResponsePart } from './response-part.js'
import { isSlice, type ResponseWriter, type WriteDone } from './response-writer.js'
import { descriptorOf } from './socket-descriptor.js'

/** A part costs natively what so many bytes cost to copy, at the least. */
const JOIN_BELOW = 1024

/** Whether a socket's responses can go out natively. */
export function canWriteZeroCopy(socket: Socket): boolean {
  return process.platform === 'linux' && descriptorOf(socket) >= 0
}

/** The same bytes with every run of small buffers as one: a thousand answers to pipelined calls are one part. */
function joinSmall(parts: ResponsePart[]): ResponsePart[] {
  const joined: ResponsePart[] = []
  let run: Buffer[] = []
  const endRun = (): void => {
    if (run.length > 0) joined.push(run.length === 1 ? (run[0] as Buffer) : Buffer.concat(run))
    run = []
  }
  for (const part of parts) {
    if (!isSlice(part) && part.length < JOIN_BELOW) {
      run.push(part)
    } else {
      endRun()
      joined.push(part)
    }
  }
  endRun()
  return joined
}

/** Sends natively, file slices by sendfile. What the socket already holds for Node goes first, by the other way. */
export class ZeroCopyWriter implements ResponseWriter {
  readonly #socket: Socket
  readonly #stallTimeoutMs: number
  readonly #behindNode: ResponseWriter
  #sender: NativeSocketSender | null = null

  /** `behindNode` writes through the socket's own buffer. */
  constructor(socket: Socket, stallTimeoutMs: number, behindNode: ResponseWriter) {
    this.#socket = socket
    this.#stallTimeoutMs = stallTimeoutMs
    this.#behindNode = behindNode
  }

  write(parts: ResponsePart[], done: WriteDone): boolean {
    if (this.#socket.writableLength > 0 || this.#socket.connecting) return this.#behindNode.write(parts, done)
    this.#sender ??= native.createSocketSender(descriptorOf(this.#socket), this.#stallTimeoutMs)
    return this.#sender.send(parts.length > 2 ? joinSmall(parts) : parts, done)
  }

  close(): void {
    this.#sender?.close()
    this.#behindNode.close()
  }
}
