import type { Socket } from 'node:net'
import { MyKafkaError } from '../errors.js'
import { FrameDecoder } from '../wire/frame-decoder.js'
import type { Link, LinkEvents } from './channel.js'

/** A response holds at most what was asked for or one record; what claims more is no frame. */
export const MAX_RESPONSE_BYTES = 256 << 20

/** Frames over a connected socket. */
export class SocketLink implements Link {
  readonly gone: Promise<void>
  readonly #socket: Socket
  readonly #events: LinkEvents
  readonly #decoder = new FrameDecoder(MAX_RESPONSE_BYTES)

  constructor(socket: Socket, events: LinkEvents) {
    this.#socket = socket
    this.#events = events
    this.gone = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => this.#end(error.message, error))
    socket.on('end', () => this.#end('the broker closed it'))
    socket.on('close', () => this.#end('the socket closed'))
  }

  send(frames: readonly Buffer[]): void {
    this.#socket.cork()
    for (const frame of frames) this.#socket.write(frame)
    this.#socket.uncork()
  }

  keepAlive(whether: boolean): void {
    if (whether) this.#socket.ref()
    else this.#socket.unref()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#socket.destroyed) return
    this.#decoder.push(chunk)
    try {
      for (let frame = this.#decoder.next(); frame !== null; frame = this.#decoder.next()) {
        this.#events.received(frame)
        if (this.#socket.destroyed) return
      }
    } catch (error) {
      this.#events.failed(error as MyKafkaError, true)
    }
  }

  #end(reason: string, cause?: NodeJS.ErrnoException): void {
    const { code: errno, syscall } = cause ?? {}
    const error = new MyKafkaError('CONNECTION_CLOSED', `the connection is closed: ${reason}`, {
      cause,
      errno,
      syscall,
    })
    this.#events.failed(error, false)
  }
}
