import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '../logger.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { type ConnectionLimitOptions, ConnectionLimits } from './connection-limits.js'
import { type AdvertisedListener, advertise, DEFAULT_LISTENER_NAME, type Listener } from './listeners.js'
import type { SharedBudget } from './shared-budget.js'

export interface BrokerServerOptions {
  /** One at least. Port 0 picks a free one. */
  listeners: readonly Listener[]
  /** What clients are told, where it is not the address that they came to. */
  advertisedListeners: readonly Listener[]
  /** More connections are closed at once. */
  limits: ConnectionLimitOptions
  /** `connections.max.idle.ms` */
  maxIdleMs: number
  connection: Omit<ConnectionOptions, 'listener'>
  /** Of memory for responses: while it is exhausted, those who take none of theirs go. */
  responseMemory: SharedBudget
  logger: Logger
}

const IDLE_SWEEPS_PER_LIMIT = 4
const LONGEST_SWEEP_INTERVAL_MS = 30_000
const BACKLOG = 511
/** How long a peer may take nothing while memory for responses is short. */
const SHORTAGE_MS = 2000
/** A peer that is silent for so long is asked by the system whether it is there: one that vanished is found. */
const KEEP_ALIVE_MS = 60_000

/** Accepts connections and ends them. */
export class BrokerServer {
  readonly #options: BrokerServerOptions
  readonly #servers: Server[] = []
  readonly #connections = new Set<Connection>()
  readonly #limits: ConnectionLimits
  #idleTimer: NodeJS.Timeout | undefined
  #shortageTimer: NodeJS.Timeout | undefined
  #allClosed: (() => void) | null = null

  constructor(options: BrokerServerOptions) {
    this.#options = options
    this.#limits = new ConnectionLimits(options.limits)
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
    this.#shortageTimer = setInterval(() => this.#dropUntaken(), SHORTAGE_MS)
    this.#shortageTimer.unref()
    return bound
  }

  /** Accepts no more, lets every connection finish the requests that it has begun, and drops what is left at the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    clearInterval(this.#idleTimer)
    clearInterval(this.#shortageTimer)
    if (this.#servers.length === 0) return
    const closed = this.#closeServers()
    const ended = new Promise<void>((resolve) => {
      this.#allClosed = resolve
      if (this.#connections.size === 0) resolve()
    })
    for (const connection of this.#connections) connection.stop()
    const deadline = setTimeout(() => {
      this.#options.logger.info({ connections: this.#connections.size }, 'dropping connections that do not end')
      for (const connection of this.#connections) connection.destroy('the broker is stopping')
    }, deadlineMs)
    await ended
    clearTimeout(deadline)
    await closed
  }

  async #listenOn({ name = DEFAULT_LISTENER_NAME, host, port }: Listener): Promise<AdvertisedListener> {
    // A peer that closed its sending side still gets its responses.
    const keepAlive = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }
    const server = createServer({ allowHalfOpen: true, noDelay: true, ...keepAlive })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    const listener = { name, host, port: (server.address() as AddressInfo).port }
    const { faults } = this.#options.connection
    server.on('error', (err) =>
      faults.report('error', 'the listener failed', { err, listener: name }, 'the listener failed'),
    )
    server.on('connection', (socket) => this.#accept(socket, listener))
    this.#servers.push(server)
    return listener
  }

  async #closeServers(): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  }

  #accept(socket: Socket, listener: AdvertisedListener): void {
    const { advertisedListeners, connection: options } = this.#options
    const { remoteAddress: address, remotePort: port } = socket
    // It was gone before it was accepted.
    if (address === undefined) {
      socket.destroy()
      return
    }
    const refusal = this.#limits.admit(address)
    if (refusal !== null) {
      const { setting, limit } = refusal
      const reason = `refused: ${setting} reached`
      options.faults.report('warn', `connections ${reason}`, { peer: `${address}:${port}`, limit }, reason)
      socket.destroy()
      return
    }
    const connection = new Connection(socket, {
      ...options,
      listener: advertise(listener, advertisedListeners, socket.localAddress),
    })
    this.#connections.add(connection)
    socket.on('close', () => {
      this.#limits.release(address)
      this.#connections.delete(connection)
      if (this.#connections.size === 0) this.#allClosed?.()
    })
  }

  #dropUntaken(): void {
    if (!this.#options.responseMemory.exhausted) return
    for (const connection of this.#connections) connection.dropIfUntaken()
  }

  #dropIdle(): void {
    const oldest = performance.now() - this.#options.maxIdleMs
    for (const connection of this.#connections) {
      if (connection.idleSince() < oldest) connection.destroy('idle for connections.max.idle.ms')
    }
  }
}
