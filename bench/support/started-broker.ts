import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../bin/mykafka.js', import.meta.url))
const LISTENING = /listening on 127\.0\.0\.1:(\d+)/

/** The command as a user starts it, and what it says. */
export class StartedBroker {
  readonly #child: ChildProcess
  readonly #begin = performance.now()
  #output = ''
  /** From the start of the process. */
  listeningMs = 0

  /** @param args - of `serve` */
  static async start(args: readonly string[]): Promise<StartedBroker> {
    const broker = new StartedBroker(args)
    await broker.said(LISTENING)
    broker.listeningMs = performance.now() - broker.#begin
    return broker
  }

  private constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [COMMAND, 'serve', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const read = (text: string): void => {
      this.#output += text
      this.#child.emit('said')
    }
    this.#child.stdout?.setEncoding('utf8').on('data', read)
    this.#child.stderr?.setEncoding('utf8').on('data', read)
  }

  get pid(): number {
    return this.#child.pid as number
  }

  get port(): number {
    return Number(LISTENING.exec(this.#output)?.[1])
  }

  get output(): string {
    return this.#output
  }

  /** Resolves when it has said something of the kind. */
  async said(text: RegExp): Promise<void> {
    const ended = once(this.#child, 'exit')
    while (!text.test(this.#output)) {
      const found = await Promise.race([once(this.#child, 'said'), ended])
      if (found.length > 0) throw new Error(`the broker ended:\n${this.#output}`)
    }
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  /** kill -9. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }
}
