import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../bin/mykafka.js', import.meta.url))
const USAGE_REPORTER = new URL('./usage-reporter.mjs', import.meta.url).href

/** What a process has used since its start. */
export interface Usage {
  readonly cpuSeconds: number
  readonly rssBytes: number
}

/** A server in a process of its own, ready when it says `listening on HOST:PORT`. */
export class ServerProcess {
  readonly #child: ChildProcess
  readonly port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** The command as a user starts it. */
  static broker(dataDir: string, ...args: string[]): Promise<ServerProcess> {
    return ServerProcess.#start([COMMAND, 'serve', '--data-dir', dataDir, '--port', '0', ...args])
  }

  /** A peer that is written here, such as `echo-server.ts`. */
  static script(name: string, ...args: string[]): Promise<ServerProcess> {
    return ServerProcess.#start(['--import', 'tsx', fileURLToPath(new URL(`../${name}`, import.meta.url)), ...args])
  }

  static async #start(args: string[]): Promise<ServerProcess> {
    const child = spawn(process.execPath, ['--import', USAGE_REPORTER, ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    let output = ''
    const ready = new Promise<number>((resolve) => {
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const found = /listening on 127\.0\.0\.1:(\d+)/.exec(output)
        if (found !== null) resolve(Number(found[1]))
      })
    })
    const port = await Promise.race([ready, once(child, 'exit')])
    if (typeof port !== 'number') throw new Error(`${args.join(' ')} ended:\n${output}`)
    return new ServerProcess(child, port)
  }

  get pid(): number {
    return this.#child.pid as number
  }

  async usage(): Promise<Usage> {
    const answer = once(this.#child, 'message')
    this.#child.send('usage')
    const [usage] = await answer
    return usage as Usage
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}

/** Whether processes can be told on which cores to run. */
export function canPin(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Lets all threads of the processes run on these cores only, such as `0` or `0-1`. */
export function pin(pids: readonly number[], cores: string): void {
  for (const pid of pids) execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)])
}
