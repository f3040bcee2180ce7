import type { LocalConnection } from '../server/embedded-broker.js'
import { LENGTH_PREFIX } from '../wire/mykafka/frame-writer.js'
import type { Link } from './channel.js'

/** No timer is longer. */
const MAX_TIMER = 0x7fffffff

/** Frames to an engine in this process. */
export class EngineLink implements Link {
  readonly #connection: LocalConnection
  /** Nothing else may keep the process alive while an answer is owed. */
  readonly #alive = setInterval(() => {}, MAX_TIMER)

  constructor(connection: LocalConnection) {
    this.#connection = connection
  }

  get gone(): Promise<void> {
    return this.#connection.idle()
  }

  send(frames: readonly Buffer[]): void {
    for (const frame of frames) this.#connection.send(frame.subarray(LENGTH_PREFIX))
  }

  keepAlive(whether: boolean): void {
    if (whether) this.#alive.ref()
    else this.#alive.unref()
  }

  destroy(): void {
    clearInterval(this.#alive)
    this.#connection.close()
  }
}
