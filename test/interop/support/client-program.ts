import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A line that a client program printed. `event` says what it tells of. */
export interface ClientEvent {
  readonly event: string
  readonly [field: string]: unknown
}

/** A record as a client read it. Bytes are base64. */
export interface ReadRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, value: string | null])[]
}

/** How a program is started, without its arguments. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const DEADLINE_MS = 60_000

const running = new Set<ClientProgram>()

/** Ends what a failed test left running. */
export async function killPrograms(): Promise<void> {
  await Promise.all([...running].map((program) => program.kill()))
}

/** A client program, and the events that it printed: see node/protocol.mjs for what it speaks. */
export class ClientProgram {
  readonly events: ClientEvent[] = []
  readonly #name: string
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  #isRunning = true
  #stderr = ''
  #wake: (() => void)[] = []

  constructor(name: string, { command, args, env, cwd }: Command, further: readonly string[]) {
    this.#name = `${name} ${further[0] ?? ''}`
    this.#child = spawn(command, [...args, ...further], { env: { ...process.env, ...env }, cwd })
    running.add(this)
    this.#child.stdin?.on('error', () => {})
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => this.#printed(line))
    // A program that cannot be started tells by 'error' alone.
    this.#child.on('error', (error) => {
      this.#stderr += String(error)
    })
    this.#ended = once(this.#child, 'close').then(
      ([code]) => this.#gone(code as number | null),
      () => this.#gone(null),
    )
  }

  /** What it wrote to standard error. */
  get stderr(): string {
    return this.#stderr
  }

  /** The records that it read so far. */
  get records(): ReadRecord[] {
    return this.events.filter(({ event }) => event === 'record') as unknown as ReadRecord[]
  }

  /** Resolves when what is asked holds of its events; throws where it ends, or takes a minute, without that. */
  async until(what: string, holds: (program: ClientProgram) => boolean): Promise<void> {
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      this.#wakeAll()
    }, DEADLINE_MS)
    try {
      while (!holds(this)) {
        if (!this.#isRunning) throw this.#failure(`ended without ${what}`)
        if (isLate) throw this.#failure(`took too long: ${what}`)
        await new Promise<void>((resolve) => this.#wake.push(resolve))
      }
    } finally {
      clearTimeout(deadline)
    }
  }

  /** Resolves with the events when it has ended well. */
  async finished(): Promise<ClientEvent[]> {
    await this.until('its end', () => !this.#isRunning)
    if ((await this.#ended) !== 0) throw this.#failure('failed')
    return this.events
  }

  /** Sends a line to its standard input. */
  tell(command: string): void {
    this.#child.stdin?.write(`${command}\n`)
  }

  /** Sends a command and waits for the event that answers it. */
  async ask(command: string, answer: string): Promise<ClientEvent> {
    const before = this.events.length
    const answers = (): ClientEvent[] => this.events.slice(before).filter(({ event }) => event === answer)
    this.tell(command)
    await this.until(answer, () => answers().length > 0)
    return answers()[0] as ClientEvent
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  #printed(line: string): void {
    try {
      this.events.push(JSON.parse(line) as ClientEvent)
    } catch {
      // No event, or the beginning of one.
      this.#stderr += `${line}\n`
    }
    this.#wakeAll()
  }

  #gone(code: number | null): number | null {
    this.#isRunning = false
    running.delete(this)
    this.#wakeAll()
    return code
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  #failure(what: string): Error {
    const events = this.events.slice(-5).map((event) => JSON.stringify(event).slice(0, 300))
    return new Error([`${this.#name} ${what}`, ...events, this.#stderr.slice(-4000)].join('\n'))
  }
}
