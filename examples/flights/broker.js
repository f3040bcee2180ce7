import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('bin/mykafka.js', import.meta.resolve('mykafka/package.json')))

/** `mykafka serve` as a process of its own. */
export class Broker {
  #dataDir
  #child
  #exited
  host = '127.0.0.1'
  /** 0 until the first start: the broker picks one, and keeps it over restarts. */
  port = 0

  /** @param {string} dataDir */
  constructor(dataDir) {
    this.#dataDir = dataDir
  }

  /** Resolves when the broker listens. */
  async start() {
    const options = ['--data-dir', this.#dataDir, '--host', this.host, '--port', String(this.port)]
    // Segments of 256 KiB: the run crosses several of them.
    const settings = ['--segment-bytes', String(256 * 1024)]
    const child = spawn(process.execPath, [command, 'serve', ...options, ...settings], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#exited = once(child, 'exit')
    let output = ''
    const listening = new Promise((resolve) => {
      const read = (text) => {
        output += text
        const found = /listening on \S+:(\d+)/.exec(output)
        if (found) resolve(Number(found[1]))
      }
      child.stdout.setEncoding('utf8').on('data', read)
      child.stderr.setEncoding('utf8').on('data', read)
    })
    const port = await Promise.race([listening, this.#exited])
    if (typeof port !== 'number') throw new Error(`the broker did not start:\n${output}`)
    this.port = port
  }

  /**
   * kill -9, from a process of its own: at a moment that has nothing to do with what producer and consumers are about.
   */
  async kill() {
    spawn('kill', ['-9', String(this.#child.pid)], { stdio: 'ignore' })
    await this.#exited
  }

  /** A clean stop. Returns the exit code. */
  async stop() {
    this.#child.kill('SIGTERM')
    const [code] = await this.#exited
    return code
  }
}
