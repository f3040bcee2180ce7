import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '../logger.js'
import { Connection, type ConnectionOptions } from './connection.js'

export interface BrokerServerOptions {
  host: string
  /** 0 picks a free one. */
  port: number
  /** `max.connections`: more are closed at once. */
  maxConnections: number
  /** `connections.max.idle.ms` */
  maxIdleMs: number
  connection: ConnectionOptions
  logger: Logger
}

const IDLE_SWEEPS_PER_LIMIT = 4
const LONGEST_SWEEP_INTERVAL_MS = 30_000
const BACKLOG = 511

/** Accepts connections and ends them. */
export class BrokerServer {
  readonly #options: BrokerServerOptions
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  #idleTimer: NodeJS.Timeout | undefined
  #allClosed: (() => void) | null = null

  constructor(options: BrokerServerOptions) {
    this.#options = options
    // A peer that closed its sending side still gets its responses.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
    this.#server.maxConnections = options.maxConnections
    this.#server.on('drop', (data) => {
      const { maxConnections } = options
      const peer = `${data?.remoteAddress}:${data?.remotePort}`
      options.logger.warn({ peer, maxConnections }, 'refused: max.connections reached')
    })
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Resolves with the port when connections are accepted. */
  async listen(): Promise<number> {
    const { host, port, maxIdleMs } = this.#options
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host, port, backlog: BACKLOG }, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    this.#server.on('error', (err) => this.#options.logger.error({ err }, 'the listener failed'))
    const interval = Math.min(maxIdleMs / IDLE_SWEEPS_PER_LIMIT, LONGEST_SWEEP_INTERVAL_MS)
    this.#idleTimer = setInterval(() => this.#dropIdle(), interval)
    this.#idleTimer.unref()
    return (this.#server.address() as AddressInfo).port
  }

  /** Accepts no more, lets every connection finish the requests that it has begun, and drops what is left at the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    clearInterval(this.#idleTimer)
    if (!this.#server.listening) return
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const ended = new Promise<void>((resolve) => {
      this.#allClosed = resolve
      if (this.#connections.size === 0) resolve()
    })
    for (const connection of this.#connections) connection.stop()
    const deadline = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy('the broker is stopping')
    }, deadlineMs)
    await ended
    clearTimeout(deadline)
    await closed
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, this.#options.connection)
    this.#connections.add(connection)
    socket.on('close', () => {
      this.#connections.delete(connection)
      if (this.#connections.size === 0) this.#allClosed?.()
    })
  }

  #dropIdle(): void {
    const oldest = Date.now() - this.#options.maxIdleMs
    for (const connection of this.#connections) {
      if (connection.idleSince() < oldest) connection.destroy('idle for connections.max.idle.ms')
    }
  }
}
