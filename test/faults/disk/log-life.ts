/** A short life of a log that a program embeds, decided by a seed. */
import type { Log } from '../../../src/log/log.js'
import { openLog } from './engine.js'
import { LOG } from './found.js'
import { RecordedLife } from './recorded-life.js'

const PLACE = { topic: LOG, partition: 0 } as const

export class LogLife extends RecordedLife {
  #log: Log | null = null

  async run(): Promise<void> {
    await this.#open()
    for (let i = 0; i < this.task.operations && this.#log !== null; i++) {
      await this.#next(this.#log)
      this.seeMapped()
    }
    await this.#close()
  }

  async #open(): Promise<void> {
    for (let i = 0; i < this.openings && this.#log === null; i++) {
      await this.do({ do: 'open' }, async () => {
        this.#log = await openLog(this.task.directory, this.task.settings, this.logger)
        return { id: LOG }
      })
    }
    this.seeMapped()
  }

  async #close(): Promise<void> {
    const log = this.#log
    if (log === null) return
    this.#log = null
    await this.do({ do: 'close' }, async () => {
      await log.close()
      return {}
    })
  }

  async #next(log: Log): Promise<void> {
    const { random } = this
    const { retentionBytes } = this.task.settings
    const kind = random.next()
    if (kind < 0.65) {
      await Promise.all(Array.from({ length: random.integer(1, 3) }, () => this.#append(log)))
    } else if (kind < 0.8) await (retentionBytes < 0 ? this.#compact(log) : this.#retain(log))
    else if (kind < 0.87) await this.#truncate(log)
    else if (kind < 0.92) await this.#flush(log)
    else {
      await this.#close()
      if (this.task.reopens) await this.#open()
    }
  }

  async #append(log: Log): Promise<void> {
    const acks = this.random.pick([1, 'all', 'all'] as const)
    const records = Array.from({ length: this.random.integer(1, 3) }, () => this.record())
    await this.do({ do: 'send', ...PLACE, acks, records }, async () => {
      const { baseOffset } = await log.appendBatch(
        records.map(([key, value]) => ({ key, value })),
        { acks },
      )
      return { base: baseOffset }
    })
  }

  async #compact(log: Log): Promise<void> {
    await this.do({ do: 'compact' }, async () => {
      await log.compact({ deleteRetentionMs: 0, maxMemory: 1 << 16 })
      return {}
    })
  }

  async #retain(log: Log): Promise<void> {
    await this.do({ do: 'retention' }, async () => {
      await log.applyRetention()
      return { starts: { [`${LOG} 0`]: log.logStartOffset } }
    })
  }

  async #truncate(log: Log): Promise<void> {
    const { logStartOffset, logEndOffset } = log
    const offset = this.random.integer(Math.max(logStartOffset, logEndOffset - 8), logEndOffset)
    await this.do({ do: 'truncate', ...PLACE, offset }, async () => {
      await log.truncateTo(offset)
      return {}
    })
  }

  async #flush(log: Log): Promise<void> {
    await this.do({ do: 'flush' }, async () => {
      await log.flush()
      return {}
    })
  }
}
