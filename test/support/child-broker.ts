import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { BrokerOptions } from '../../src/server/broker.js'
import { zeroCopy } from './broker.js'
import { behindEachTest } from './clean-up.js'
import { dropPeers, Peer } from './peer.js'
// Its directories are removed behind the processes that use them: hooks run in reverse order.
import { temporaryDirectory } from './temporary.js'

/** What a process knows of itself. */
export interface Figures {
  connections: number
  /** What each open descriptor is: a path, or `socket:[...]` and the like. */
  descriptors: string[]
  rss: number
  /** The most that it ever was. */
  peakRss: number
}

/** What can be asked, and what the answers are. */
export interface Answers {
  figures: Figures
  /** In milliseconds, since it was last asked for. */
  eventLoopDelay: { p50: number; p99: number; max: number }
  /** What was logged, as `level: message`. */
  messages: string[]
  /** Closes the files that nobody uses, but for one segment's. */
  closeIdleFiles: unknown
  stop: unknown
}

export type Question = keyof Answers

const running = new Set<ChildProcess>()

behindEachTest(async () => {
  dropPeers()
  for (const child of running) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  running.clear()
})

/**
 * A broker in a process of its own, from src/: for what is to be known of a process, its descriptors and its memory.
 * It ends with the test.
 */
export class ChildBroker {
  readonly #child: ChildProcess
  readonly port: number
  #questions = 0

  static async start(options: Omit<BrokerOptions, 'logger'> = {}): Promise<ChildBroker> {
    // Not the broker's own: a process that is killed leaves it behind.
    const dataDir = options.dataDir ?? (await temporaryDirectory())
    const settings = JSON.stringify({ zeroCopy, port: 0, fsync: 'never', ...options, dataDir })
    const child = fork(join(inject('programs'), 'broker.js'), [settings])
    running.add(child)
    const [{ port }] = await once(child, 'message')
    return new ChildBroker(child, port)
  }

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
    child.setMaxListeners(0)
  }

  connect(): Promise<Peer> {
    return Peer.connect(this.port)
  }

  ask<Q extends Question>(question: Q): Promise<Answers[Q]> {
    const id = this.#questions++
    return new Promise((resolve, reject) => {
      const exited = (): void => reject(new Error('the broker has ended'))
      const answered = (message: { id: number; answer: Answers[Q] }): void => {
        if (message.id !== id) return
        this.#child.off('message', answered)
        this.#child.off('exit', exited)
        resolve(message.answer)
      }
      this.#child.on('message', answered)
      this.#child.on('exit', exited)
      this.#child.send({ id, question })
    })
  }
}
