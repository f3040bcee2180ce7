/** Compiles the recorder, and runs lives in a process that it is loaded into. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LifeTask } from './recorded-life.js'
import { readTrace, type TraceEvent } from './trace.js'

/** Other systems have no such preloading. */
export const canRecord = process.platform === 'linux'

/** The n-th call of a kind below the directory that fails. */
export interface CallFault {
  readonly call: 'open' | 'write' | 'sync' | 'allocate' | 'truncate' | 'rename' | 'link' | 'unlink' | 'mkdir'
  /** So many pass before. */
  readonly skip: number
  /** So many fail then. */
  readonly count: number
  readonly errno: 'EIO' | 'ENOSPC' | 'EMFILE'
  /** The first of them writes a part, and the next one fails. */
  readonly short: boolean
}

export interface RecordTask extends LifeTask {
  readonly fault: CallFault | null
}

/** From the process that is told to record, behind each life. */
export interface RecordAnswer {
  readonly failure: string | null
}

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Returns the library; compiled once for its source. */
function compileRecorder(): string {
  const source = join(root, 'test', 'faults', 'disk', 'recorder.cc')
  const stamp = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const directory = join(root, 'build', 'faults')
  const library = join(directory, `recorder-${stamp}.so`)
  if (existsSync(library)) return library
  mkdirSync(directory, { recursive: true })
  const made = `${library}.${process.pid}`
  const compiler = process.env.CXX?.split(' ')[0] || 'c++'
  execFileSync(compiler, ['-std=c++17', '-shared', '-fPIC', '-o', made, source, '-ldl'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  renameSync(made, library)
  return library
}

/** A process that lives lives, one at a time, and records them. */
export class Recorder {
  readonly #child: ChildProcess
  readonly #trace: string

  /**
   * @param program - program.ts, compiled
   * @param directory - for the record and for what the process is told by
   */
  constructor(program: string, directory: string) {
    const control = join(directory, 'control')
    this.#trace = join(directory, 'trace')
    this.#child = fork(program, [control, this.#trace], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, LD_PRELOAD: compileRecorder(), RECORDER_CONTROL: control, UV_USE_IO_URING: '0' },
      execArgv: [],
    })
  }

  /** @throws where the process ended, or could not record */
  async record(task: RecordTask): Promise<TraceEvent[]> {
    const ended = new AbortController()
    const { signal } = ended
    const answered = once(this.#child, 'message', { signal }).then(([answer]) => answer as RecordAnswer)
    const exited = once(this.#child, 'exit', { signal }).then(([code, by]): RecordAnswer => {
      return { failure: `the recorded process ended: ${code ?? by}` }
    })
    this.#child.send(task)
    const { failure } = await Promise.race([answered, exited])
    ended.abort()
    await Promise.allSettled([answered, exited])
    if (failure !== null) throw new Error(failure)
    return readTrace(this.#trace)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}
