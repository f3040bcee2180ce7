import { Client } from '../../../src/client/index.js'
import { offsetCommitApi } from '../../../src/wire/kafka/generated/offset-commit.js'
import { offsetFetchApi } from '../../../src/wire/kafka/generated/offset-fetch.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Random } from '../../support/seeded-random.js'
import type { Life } from './life.js'
import type { PartitionLedger } from './partition-ledger.js'
import type { Wire } from './writer.js'

const IN_FLIGHT = 3
const MOST_COMMITS = 200

interface Connection {
  commit(offset: number): Promise<void>
  close(): void
}

/** A group that commits offsets of one partition, forward and back, and knows which of them may be there. */
export class Committer {
  readonly partition: PartitionLedger
  readonly #group: string
  readonly #wire: Wire
  readonly #random: Random
  /** What the last start found, and all that was sent behind that. */
  #sent: (number | null)[] = [null]
  /** The place of the last one that was acknowledged. */
  #acknowledged = 0

  constructor(group: string, wire: Wire, partition: PartitionLedger, random: Random) {
    this.partition = partition
    this.#group = group
    this.#wire = wire
    this.#random = random
  }

  get name(): string {
    return `${this.#group} in ${this.partition.name}`
  }

  async commit(port: number, life: Life, mode: string): Promise<void> {
    let connection: Connection
    try {
      connection = this.#wire === 'MyKafka' ? await this.#overMyKafka(port) : await this.#overKafka(port)
    } catch (error) {
      life.failed(error)
      return
    }
    let left = MOST_COMMITS
    await life.keepUp(IN_FLIGHT, async () => {
      if (left-- === 0) return 'enough'
      // What a consumer commits it has read.
      const offset = this.#random.integer(0, this.partition.end)
      const place = this.#sent.push(offset) - 1
      await connection.commit(offset)
      if (!life.isAnswering) return 'enough'
      this.#acknowledged = Math.max(this.#acknowledged, place)
      life.acknowledged('commits', mode, 1)
      return 'more'
    })
    connection.close()
  }

  /**
   * Holds what is there against what was sent, and takes it for what is from then on.
   *
   * @returns how the last one that was acknowledged is gone, where it is; and what is wrong beside that
   */
  async settle(port: number): Promise<{ lost: string | null; wrong: string[] }> {
    const found = this.#wire === 'MyKafka' ? await this.#foundOverMyKafka(port) : await this.#foundOverKafka(port)
    const { end } = this.partition
    // A commit of records that are gone is set to the log's end.
    const isPossible = (sent: number | null): boolean =>
      sent === found || (sent !== null && sent > end && found === end)
    const wrong: string[] = []
    if (found !== null && found > end) wrong.push(`${this.name} is at ${found}, ahead of the end ${end}`)
    const isThere = this.#sent.slice(this.#acknowledged).some(isPossible)
    if (!isThere && !this.#sent.some(isPossible)) wrong.push(`${this.name} is at ${found}, which it never committed`)
    const last = this.#sent[this.#acknowledged]
    this.#sent = [found]
    this.#acknowledged = 0
    return { lost: isThere ? null : `${this.name} is at ${found}, acknowledged was ${last}, the end is ${end}`, wrong }
  }

  /** The topic is gone, and what was committed for it. */
  forget(): void {
    this.#sent = [null]
    this.#acknowledged = 0
  }

  async #overMyKafka(port: number): Promise<Connection> {
    const client = await Client.connect({ port })
    const { topic, partition } = this.partition
    return {
      commit: (offset) => client.commitOffset(this.#group, topic, partition, offset),
      close: () => void client.close(),
    }
  }

  async #overKafka(port: number): Promise<Connection> {
    const peer = await KafkaPeer.connect(port)
    const { topic, partition } = this.partition
    return {
      commit: async (offset) => {
        const committed = { committedOffset: offset, committedLeaderEpoch: -1, committedMetadata: null }
        const { topics } = await peer.call(offsetCommitApi, 8, {
          groupId: this.#group,
          generationIdOrMemberEpoch: -1,
          memberId: '',
          groupInstanceId: null,
          retentionTimeMs: -1n,
          topics: [{ name: topic, partitions: [{ partitionIndex: partition, ...committed }] }],
        })
        const errorCode = topics[0]?.partitions[0]?.errorCode
        if (errorCode !== 0) throw new Error(`OffsetCommit answered ${errorCode}`)
      },
      close: () => peer.peer.socket.destroy(),
    }
  }

  async #foundOverMyKafka(port: number): Promise<number | null> {
    const client = await Client.connect({ port })
    try {
      return await client.fetchOffset(this.#group, this.partition.topic, this.partition.partition)
    } finally {
      await client.close()
    }
  }

  async #foundOverKafka(port: number): Promise<number | null> {
    const peer = await KafkaPeer.connect(port)
    const { topic, partition } = this.partition
    const topics = [{ name: topic, partitionIndexes: [partition] }]
    const groups = [{ groupId: this.#group, memberId: null, memberEpoch: -1, topics }]
    const asked = { groupId: this.#group, topics, groups, requireStable: false }
    const answer = await peer.call(offsetFetchApi, 8, asked)
    peer.peer.socket.destroy()
    const offset = answer.groups[0]?.topics[0]?.partitions[0]?.committedOffset ?? -1
    return offset < 0 ? null : offset
  }
}
