import { execFile } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freshDatabases } from './databases.js'
import { Service } from './service.js'

const command = fileURLToPath(new URL('bin/mykafka.js', import.meta.resolve('mykafka/package.json')))
const program = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

async function emptyFolder(name) {
  const folder = program(`data/${name}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

/** The broker and the processes of the example, with data of their own. */
export class System {
  #failed = new AbortController()
  /** Aborted where a process ends by itself. */
  signal = this.#failed.signal
  broker
  bookingApi
  cancellationApi
  worker
  statistics
  relay
  directApi
  /** What its processes are told. @type {Record<string, string>} */
  env = {}

  constructor() {
    // Every customer waits with it.
    setMaxListeners(0, this.signal)
  }

  /** @param {Error} error */
  fail(error) {
    this.#failed.abort(error)
  }

  /**
   * Rejected as soon as a process ends by itself: what the others then meet is not the fault.
   *
   * @template T
   * @param {Promise<T>} done
   */
  async whileItRuns(done) {
    const failed = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason))
    })
    return await Promise.race([done, failed])
  }

  /**
   * Starts all of it.
   *
   * @param {string} name of its data in data/; what was there is removed
   * @param {Record<string, string>} [env] for the processes
   */
  async start(name, env = {}) {
    const folder = await emptyFolder(name)
    this.broker = this.#service('broker', command, () => [
      ...['serve', '--data-dir', `${folder}/broker`],
      // The port that it is given at first is kept over its restarts.
      ...['--port', this.broker.address || '0'],
      // What it acknowledges is on the disk.
      ...['--fsync', 'always'],
    ])
    await this.broker.start()
    this.env = { ...(await freshDatabases(folder, name)), BROKERS: `127.0.0.1:${this.broker.address}`, ...env }
    await promisify(execFile)(process.execPath, [program('service/setup.js')], { env: { ...process.env, ...this.env } })
    this.bookingApi = this.#service('booking API', program('service/booking-api.js'))
    this.cancellationApi = this.#service('cancellation API', program('service/cancellation-api.js'))
    this.worker = this.#service('worker', program('service/worker.js'))
    this.statistics = this.#service('statistics', program('service/statistics.js'))
    this.relay = this.#service('relay', program('service/outbox-relay.js'))
    await Promise.all(this.#clients().map((service) => service.start()))
  }

  /** Starts what the booking API is measured against, and nothing else: it needs no broker. */
  async startDirectApi(name) {
    this.env = await freshDatabases(await emptyFolder(name), name)
    this.directApi = this.#service('direct API', program('check/direct-api.js'))
    await this.directApi.start()
  }

  /** Stops all of it, and throws where a process does not end as it should. */
  async stop() {
    const stopped = await Promise.allSettled(this.#clients().map((service) => service.stop()))
    await this.broker?.stop()
    for (const { reason } of stopped) if (reason !== undefined) throw reason
  }

  /** Ends whatever still runs. */
  async kill() {
    await Promise.all([...this.#clients(), this.broker].map((service) => service?.kill()))
  }

  #clients() {
    const { bookingApi, cancellationApi, worker, statistics, relay, directApi } = this
    return [bookingApi, cancellationApi, worker, statistics, relay, directApi].filter(Boolean)
  }

  #service(name, file, args) {
    return new Service(name, { file, args, env: this.env, onDeath: (error) => this.fail(error) })
  }
}
