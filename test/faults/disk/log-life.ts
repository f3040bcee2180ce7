/** A short life of a log that a program embeds, decided by a seed. */
import type { Log } from '../../../src/log/log.js'
import { openLog } from './engine.js'
import { LOG } from './found.js'
import { type LogStep, OPENINGS, RecordedLife } from './recorded-life.js'

const PLACE = { topic: LOG, partition: 0 } as const

export class LogLife extends RecordedLife {
  #log: Log | null = null

  async run(): Promise<void> {
    await this.#open()
    const { operations, script } = this.task
    for (let i = 0; i < (script?.length ?? operations) && this.#log !== null; i++) {
      await this.#do(script?.[i] ?? this.#anyStep(), this.#log)
      this.seeMapped()
    }
    await this.#close()
  }

  async #open(): Promise<void> {
    for (let i = 0; i < OPENINGS && this.#log === null; i++) {
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

  #anyStep(): LogStep {
    const kind = this.random.next()
    if (kind < 0.65) return 'append'
    if (kind < 0.8) return this.task.settings.retentionBytes < 0 ? 'compact' : 'retain'
    if (kind < 0.87) return 'truncate'
    return kind < 0.92 ? 'flush' : 'reopen'
  }

  async #do(step: LogStep, log: Log): Promise<void> {
    switch (step) {
      case 'append':
        await Promise.all(Array.from({ length: this.random.integer(1, 3) }, () => this.#append(log)))
        break
      case 'compact':
        return await this.#compact(log)
      case 'retain':
        return await this.#retain(log)
      case 'truncate':
        return await this.#truncate(log)
      case 'flush':
        return await this.#flush(log)
      case 'reopen':
        await this.#close()
        await this.#open()
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
