import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '../logger.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { type AdvertisedListener, advertise, DEFAULT_LISTENER_NAME, type Listener } from './listeners.js'

export interface BrokerServerOptions {
  /** One at least. Port 0 picks a free one. */
  listeners: readonly Listener[]
  /** What clients are told, where it is not the address that they came to. */
  advertisedListeners: readonly Listener[]
  /** `max.connections`: more are closed at once. */
  maxConnections: number
  /** `connections.max.idle.ms` */
  maxIdleMs: number
  connection: Omit<ConnectionOptions, 'listener'>
  logger: Logger
}

const IDLE_SWEEPS_PER_LIMIT = 4
const LONGEST_SWEEP_INTERVAL_MS = 30_000
const BACKLOG = 511

/** Accepts connections and ends them. */
export class BrokerServer {
  readonly #options: BrokerServerOptions
  readonly #servers: Server[] = []
  readonly #connections = new Set<Connection>()
  #idleTimer: NodeJS.Timeout | undefined
  #allClosed: (() => void) | null = null

  constructor(options: BrokerServerOptions) {
    this.#options = options
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Resolves with the addresses, their ports as they are, when connections are accepted on all of them. */
  async listen(): Promise<AdvertisedListener[]> {
    const { listeners, maxIdleMs } = this.#options
    const bound: AdvertisedListener[] = []
    try {
      for (const listener of listeners) bound.push(await this.#listenOn(listener))
    } catch (error) {
      for (const connection of this.#connections) connection.destroy('the broker does not start')
      await this.#closeServers()
      throw error
    }
    const interval = Math.min(maxIdleMs / IDLE_SWEEPS_PER_LIMIT, LONGEST_SWEEP_INTERVAL_MS)
    this.#idleTimer = setInterval(() => this.#dropIdle(), interval)
    this.#idleTimer.unref()
    return bound
  }

  /** Accepts no more, lets every connection finish the requests that it has begun, and drops what is left at the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    clearInterval(this.#idleTimer)
    if (this.#servers.length === 0) return
    const closed = this.#closeServers()
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

  async #listenOn({ name = DEFAULT_LISTENER_NAME, host, port }: Listener): Promise<AdvertisedListener> {
    // A peer that closed its sending side still gets its responses.
    const server = createServer({ allowHalfOpen: true, noDelay: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    const listener = { name, host, port: (server.address() as AddressInfo).port }
    server.on('error', (err) => this.#options.logger.error({ err, listener: name }, 'the listener failed'))
    server.on('connection', (socket) => this.#accept(socket, listener))
    this.#servers.push(server)
    return listener
  }

  async #closeServers(): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  }

  #accept(socket: Socket, listener: AdvertisedListener): void {
    const { maxConnections, logger, advertisedListeners } = this.#options
    if (this.#connections.size >= maxConnections) {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`
      logger.warn({ peer, maxConnections }, 'refused: max.connections reached')
      socket.destroy()
      return
    }
    const connection = new Connection(socket, {
      ...this.#options.connection,
      listener: advertise(listener, advertisedListeners, socket.localAddress),
    })
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
