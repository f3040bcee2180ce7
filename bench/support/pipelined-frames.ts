import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A bare socket that sends ready-made frames, several of them unanswered, and counts the bytes of the answers. */
export class PipelinedFrames {
  readonly #socket: Socket
  readonly #answerBytes: number
  #received = 0
  #answered: () => void = () => {}

  private constructor(socket: Socket, answerBytes: number) {
    this.#socket = socket
    this.#answerBytes = answerBytes
    socket.on('data', (chunk) => {
      this.#received += chunk.length
      this.#answered()
    })
  }

  /** @param answerBytes - of each answer */
  static async connect(port: number, answerBytes: number): Promise<PipelinedFrames> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    return new PipelinedFrames(socket, answerBytes)
  }

  /** Resolves when all are answered. */
  send(frames: readonly Buffer[], inFlight: number): Promise<void> {
    this.#received = 0
    let next = 0
    return new Promise((resolve) => {
      this.#answered = () => {
        const answers = Math.floor(this.#received / this.#answerBytes)
        if (answers === frames.length) resolve()
        this.#socket.cork()
        while (next < frames.length && next < answers + inFlight) this.#socket.write(frames[next++] as Buffer)
        this.#socket.uncork()
      }
      this.#answered()
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}
