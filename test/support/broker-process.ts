import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { behindEachTest } from './clean-up.js'
import { COMMAND, requireCurrentDist } from './cli-process.js'
// Its directories are removed behind the processes that use them: hooks run in reverse order.
import './temporary.js'

/** A line of the broker's log. */
export interface BrokerLogLine {
  readonly level: number
  readonly msg: string
  readonly [field: string]: unknown
}

export interface BrokerProcessOptions {
  readonly dataDir: string
  /** Further arguments of `serve`. */
  readonly args?: readonly string[]
  /** A command that runs the broker in its own place, such as `strace -D`. */
  readonly under?: readonly string[]
  /** It outlives the test that starts it; who does so stops it. */
  readonly lasting?: boolean
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const running = new Set<BrokerProcess>()

// A test that fails in the middle leaves no process behind.
behindEachTest(async () => {
  for (const broker of running) await broker.kill()
})

/** `mykafka serve` from dist/, as a process of its own, on a free port of 127.0.0.1. */
export class BrokerProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<Exit>
  readonly #ready: Promise<number>
  readonly #awaited = new Set<() => void>()
  #output = ''
  #port = 0

  /** Starts it and waits until it listens. */
  static async start(options: BrokerProcessOptions): Promise<BrokerProcess> {
    const broker = BrokerProcess.spawn(options)
    await broker.ready()
    return broker
  }

  /** Starts it and does not wait. */
  static spawn(options: BrokerProcessOptions): BrokerProcess {
    return new BrokerProcess(options)
  }

  private constructor({ dataDir, args = [], under = [], lasting = false }: BrokerProcessOptions) {
    requireCurrentDist()
    const serve = [process.execPath, COMMAND, 'serve', '--data-dir', dataDir, '--port', '0', ...args]
    const [command, ...rest] = [...under, ...serve]
    this.#child = spawn(command as string, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
    if (!lasting) running.add(this)
    // 'close' comes when all output is here, 'exit' may come before.
    this.#exited = once(this.#child, 'close').then(([code, signal]) => {
      running.delete(this)
      return { code, signal }
    })
    this.#ready = new Promise((resolve) => {
      const read = (text: string): void => {
        this.#output += text
        const found = /^listening on 127\.0\.0\.1:(\d+)$/m.exec(this.#output)
        if (found !== null) resolve(Number(found[1]))
        for (const look of this.#awaited) look()
      }
      this.#child.stdout?.setEncoding('utf8').on('data', read)
      this.#child.stderr?.setEncoding('utf8').on('data', read)
    })
  }

  get port(): number {
    return this.#port
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** Everything that it wrote, to both streams. */
  get output(): string {
    return this.#output
  }

  /** The lines of its log so far. */
  get log(): BrokerLogLine[] {
    return this.#output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as BrokerLogLine)
  }

  /** Resolves when it listens; throws where it ends before that. */
  async ready(): Promise<void> {
    const port = await Promise.race([this.#ready, this.#exited])
    if (typeof port !== 'number') throw new Error(`the broker ended (${JSON.stringify(port)}):\n${this.#output}`)
    this.#port = port
  }

  /** Resolves when there is such a text in what it writes, from now on. */
  writes(text: string): Promise<void> {
    const from = this.#output.length
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#output.indexOf(text, from) < 0) return
        this.#awaited.delete(look)
        resolve()
      }
      this.#awaited.add(look)
    })
  }

  /** Resolves when the process is gone. */
  exited(): Promise<Exit> {
    return this.#exited
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /**
   * kill -9 in so many milliseconds, from a process of its own: at a moment that has nothing to do with what this
   * process is about.
   */
  async killIn(milliseconds: number): Promise<void> {
    spawn('sh', ['-c', `sleep ${milliseconds / 1000}; kill -9 ${this.pid}`], { stdio: 'ignore' })
    await this.#exited
  }

  /** Asks it to stop, and waits for that. */
  stop(): Promise<Exit> {
    this.#child.kill('SIGTERM')
    return this.#exited
  }
}
