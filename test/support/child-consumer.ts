import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inject } from 'vitest'
import { behindEachTest } from './clean-up.js'

export interface ConsumerSettings {
  readonly bootstrapServers: string
  readonly groupId: string
  readonly topic: string
  readonly sessionTimeoutMs: number
}

/** What a consumer hears. */
export type Heard =
  | { readonly kind: 'assigned'; readonly partitions: readonly number[] }
  | { readonly kind: 'message'; readonly partition: number; readonly offset: number; readonly value: string }
  | { readonly kind: 'committed' }

const running = new Set<ChildProcess>()

behindEachTest(async () => {
  await Promise.all([...running].map(end))
})

async function end(child: ChildProcess): Promise<void> {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A consumer in a process of its own: for what is to be known of a member that dies. It ends with the test. */
export class ChildConsumer {
  readonly heard: Heard[] = []
  readonly #child: ChildProcess

  constructor(settings: ConsumerSettings) {
    this.#child = fork(join(inject('programs'), 'consumer.js'), [JSON.stringify(settings)])
    running.add(this.#child)
    this.#child.on('message', (heard: Heard) => this.heard.push(heard))
  }

  /** Its partitions since the last rebalance. */
  get partitions(): readonly number[] {
    return this.heard.findLast((heard) => heard.kind === 'assigned')?.partitions ?? []
  }

  /** What it was given, as `partition/offset`, from a place in what it heard on. */
  messages(from = 0): string[] {
    return this.heard
      .slice(from)
      .flatMap((heard) => (heard.kind === 'message' ? [`${heard.partition}/${heard.offset}`] : []))
  }

  /** Commits all that it was given. */
  async commit(): Promise<void> {
    const committed = new Promise<void>((resolve) => {
      const answered = (heard: Heard): void => {
        if (heard.kind !== 'committed') return
        this.#child.off('message', answered)
        resolve()
      }
      this.#child.on('message', answered)
    })
    this.#child.send('commit')
    await committed
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await end(this.#child)
  }
}
