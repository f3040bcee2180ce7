import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What each of them says when it can be used. */
const READY = /listening on (?:127\.0\.0\.1:(\d+)|(http:\S+))|ready\n/

/** Those that run: none outlives who started it. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A process that is started, killed and started again. */
export class Service {
  #file
  #args
  #env
  #onDeath
  #child
  #exited
  #output = ''
  /** Where it listens: a port or a URL. */
  address = ''

  /**
   * @param {string} name
   * @param {object} options
   * @param {string} options.file what Node runs
   * @param {() => string[]} [options.args]
   * @param {Record<string, string>} [options.env]
   * @param {(error: Error) => void} options.onDeath where it ends without having been told to
   */
  constructor(name, { file, args = () => [], env = {}, onDeath }) {
    this.name = name
    this.#file = file
    this.#args = args
    this.#env = env
    this.#onDeath = onDeath
  }

  /** Resolves when it is ready. */
  async start() {
    const child = spawn(process.execPath, [this.#file, ...this.#args()], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...this.#env },
      // Ctrl-C is for who started it.
      detached: true,
    })
    running.add(child)
    this.#child = child
    this.#output = ''
    const ready = new Promise((resolve) => {
      const read = (text) => {
        this.#output = (this.#output + text).slice(-20_000)
        const found = READY.exec(this.#output)
        if (found) resolve(found)
      }
      child.stdout.setEncoding('utf8').on('data', read)
      child.stderr.setEncoding('utf8').on('data', read)
    })
    // Behind 'close' everything that it said has been read.
    this.#exited = once(child, 'close').then(([code, signal]) => {
      running.delete(child)
      if (this.#child !== child) return code
      this.#child = undefined
      this.#onDeath(new Error(`${this.name} ended by itself (${signal ?? `exit code ${code}`}):\n${this.#output}`))
      return code
    })
    const found = await Promise.race([ready, this.#exited])
    if (!Array.isArray(found)) throw new Error(`${this.name} did not start:\n${this.#output}`)
    this.address = found[1] ?? found[2] ?? ''
  }

  /** kill -9. */
  async kill() {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    child.kill('SIGKILL')
    await this.#exited
  }

  /** A clean stop. Returns what it said. */
  async stop() {
    const child = this.#child
    if (child === undefined) return this.#output
    this.#child = undefined
    child.kill('SIGTERM')
    const code = await this.#exited
    if (code !== 0) throw new Error(`${this.name} did not stop cleanly (exit code ${code}):\n${this.#output}`)
    return this.#output
  }
}
