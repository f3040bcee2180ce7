import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { behindEachTest } from './clean-up.js'

interface Waiting {
  resolve(frame: Buffer): void
  reject(error: Error): void
}

const open = new Set<Peer>()

/** Behind each test; a broker that has no more peers stops at once. */
export function dropPeers(): void {
  for (const peer of open) peer.socket.destroy()
  open.clear()
}

behindEachTest(dropPeers)

/** A bare TCP connection to a broker: it sends bytes and cuts what comes back into frames. It ends with the test. */
export class Peer {
  readonly socket: Socket
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
  /** Why it went wrong, by the system's name. */
  readonly errors: (string | undefined)[] = []
  #chunks: Buffer[] = []
  #bytes = 0
  #waiting: Waiting[] = []
  #gone = false

  static async connect(port: number): Promise<Peer> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    await once(socket, 'connect')
    return new Peer(socket)
  }

  private constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise((resolve) => {
      const gone = (): void => {
        this.#gone = true
        this.#settle()
        resolve()
      }
      socket.on('error', ({ code }: NodeJS.ErrnoException) => this.errors.push(code))
      socket.on('end', () => {
        socket.end()
        gone()
      })
      socket.on('close', gone)
    })
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
      this.#settle()
    })
    open.add(this)
  }

  send(...bytes: readonly Buffer[]): this {
    for (const each of bytes) this.socket.write(each)
    return this
  }

  /** The next frame, its length prefix included; throws where the connection ends before it. */
  frame(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#settle()
    })
  }

  async frames(count: number): Promise<Buffer[]> {
    const frames: Buffer[] = []
    while (frames.length < count) frames.push(await this.frame())
    return frames
  }

  /** Sends a frame and reads one. */
  async call(frame: Buffer): Promise<Buffer> {
    return await this.send(frame).frame()
  }

  /** Bytes that came and belong to no frame that was asked for. */
  get unread(): number {
    return this.#bytes
  }

  #settle(): void {
    while (this.#waiting.length > 0) {
      const frame = this.#take()
      if (frame === null && !this.#gone) return
      const { resolve, reject } = this.#waiting.shift() as Waiting
      if (frame !== null) resolve(frame)
      else reject(new Error('the connection ended'))
    }
  }

  #take(): Buffer | null {
    if (this.#bytes < 4) return null
    const length = 4 + this.#gather(4).readInt32BE(0)
    if (this.#bytes < length) return null
    const first = this.#gather(length)
    if (first.length === length) this.#chunks.shift()
    else this.#chunks[0] = first.subarray(length)
    this.#bytes -= length
    return first.subarray(0, length)
  }

  /** The first chunk, joined with those behind it until it holds so many bytes. */
  #gather(length: number): Buffer {
    let count = 0
    for (let bytes = 0; bytes < length; count++) bytes += (this.#chunks[count] as Buffer).length
    if (count > 1) this.#chunks.unshift(Buffer.concat(this.#chunks.splice(0, count)))
    return this.#chunks[0] as Buffer
  }
}
