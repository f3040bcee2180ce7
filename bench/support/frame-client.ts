import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A bare socket that sends ready-made frames, one at a time, and counts the bytes of the answers. */
export class FrameClient {
  readonly #socket: Socket
  #missing = 0
  #answered: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#missing -= chunk.length
      if (this.#missing === 0) this.#answered()
    })
  }

  static async connect(port: number): Promise<FrameClient> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    return new FrameClient(socket)
  }

  /** Sends a frame; resolves when an answer of so many bytes is here. */
  request(frame: Buffer, answerBytes: number): Promise<void> {
    this.#missing = answerBytes
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#socket.write(frame)
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}
