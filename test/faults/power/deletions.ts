import { deleteRecordsApi } from '../../../src/wire/kafka/generated/delete-records.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Random } from '../../support/seeded-random.js'
import type { Life } from './life.js'
import type { PartitionLedger } from './partition-ledger.js'

const MOST_DELETIONS = 20

/** DeleteRecords of a partition that retention removes records of too. */
export class RecordDeleter {
  readonly partition: PartitionLedger
  readonly #retentionBytes: number
  readonly #random: Random
  #asked = 0
  #acknowledged = 0
  /** Where the log began behind the last start. */
  #start = 0

  constructor(partition: PartitionLedger, retentionBytes: number, random: Random) {
    this.partition = partition
    this.#retentionBytes = retentionBytes
    this.#random = random
  }

  async delete(port: number, life: Life, mode: string): Promise<void> {
    let left = MOST_DELETIONS
    let peer: KafkaPeer | null = null
    const { topic, partition } = this.partition
    await life.keepUp(1, async () => {
      peer ??= await KafkaPeer.connect(port)
      if (left-- === 0) return 'enough'
      const { end } = this.partition
      // Not much more than retention has removed anyway.
      const offset = Math.min(end, Math.max(this.#acknowledged, this.#start) + this.#random.integer(0, 20))
      this.#asked = Math.max(this.#asked, offset)
      const topics = [{ name: topic, partitions: [{ partitionIndex: partition, offset }] }]
      const answer = await peer.call(deleteRecordsApi, 2, { topics, timeoutMs: 1000 })
      if (!life.isAnswering) return 'enough'
      const { errorCode } = answer.topics[0]?.partitions[0] ?? {}
      if (errorCode !== 0) throw new Error(`DeleteRecords of ${topic} below ${offset} answered ${errorCode}`)
      // What it says of the log start may be retention's, which was not asked for: power loss may take that back.
      this.#acknowledged = Math.max(this.#acknowledged, offset)
      life.acknowledged('topics', mode, 1)
      return 'more'
    })
    ;(peer as KafkaPeer | null)?.peer.socket.destroy()
  }

  /** Holds where the log begins against what was asked for. Returns what is not right. */
  settle({ start, end }: { readonly start: number; readonly end: number }): { lost: string | null; wrong: string[] } {
    const { name } = this.partition
    const wrong: string[] = []
    const lost =
      start < this.#acknowledged
        ? `${name} begins at ${start} and ends at ${end}, to begin at ${this.#acknowledged} was acknowledged`
        : null
    const left = this.partition.bytesFrom(start)
    if (start > this.#asked && start > this.#start && left < this.#retentionBytes) {
      wrong.push(`${name} begins at ${start}, retention may not have taken more than to leave ${left} bytes`)
    }
    this.#start = start
    this.#asked = Math.max(this.#acknowledged, start)
    return { lost, wrong }
  }
}
