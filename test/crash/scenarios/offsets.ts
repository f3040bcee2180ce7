import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import type { BrokerProcess } from '../../support/broker-process.js'
import { partitionRecords } from '../../support/data-directory.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { requestUntilLost } from './until-lost.js'

const TOPIC = 'topic'
const RECORDS = 2000
const IN_FLIGHT = 8
const MOST_ANSWERS = 400

/** What one group did to the offset of one partition. */
interface Commits {
  readonly group: string
  readonly partition: number
  /** What may be there: what was there before, or was acknowledged last, and all that was sent behind it. */
  possible: (number | null)[]
}

/** So that the commits are compacted all the while. */
const COMPACTING = ['offsets.topic.segment.bytes=4096', 'log.cleaner.backoff.ms=1']

/**
 * Groups commit offsets, forward and back; the broker is killed at a random moment of each round.
 *
 * @param compacting - whether the commits are compacted meanwhile; else each that was written is there
 */
export async function killUnderCommits(random: Random, rounds: number, compacting = false): Promise<void> {
  const options = await busyBroker(await temporaryDirectory(), compacting ? COMPACTING : [])
  const keys: Commits[] = ['a', 'b', 'c'].flatMap((group) =>
    [0, 1].map((partition) => ({ group, partition, possible: [null] })),
  )
  await killInRounds(options, random, rounds, {
    prepare: fill,
    work: (broker) => {
      const point = new KillPoint(
        random,
        MOST_ANSWERS,
        compacting ? broker.writes('compacted __consumer_offsets/') : undefined,
      )
      return { point, work: keys.map((key) => commit(broker, key, point, random)) }
    },
    compare: async (broker) => {
      await compare(broker, keys)
      if (compacting) return
      const commits = await partitionRecords(options.dataDir, '__consumer_offsets', 0)
      const unique = new Set(commits.map(({ key }) => key?.toString('hex'))).size
      expect(broker.output).toContain(`loaded ${commits.length} commits (${unique} unique keys)`)
    },
  })
}

async function fill(broker: BrokerProcess): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  await client.createTopic(TOPIC, 2)
  const records = Array.from({ length: RECORDS }, () => ({ value: 'x' }))
  for (const partition of [0, 1]) await client.produce(TOPIC, records, { partition })
  await client.close()
}

async function commit(broker: BrokerProcess, key: Commits, point: KillPoint, random: Random): Promise<void> {
  const connect = () => Client.connect({ port: broker.port })
  await requestUntilLost(IN_FLIGHT, connect, async (client) => {
    // None above the log's end: such a commit would be set to it.
    const offset = random.integer(0, RECORDS)
    const place = key.possible.push(offset) - 1
    await client.commitOffset(key.group, TOPIC, key.partition, offset)
    key.possible.fill(offset, 0, place)
    await point.answered()
  })
}

async function compare(broker: BrokerProcess, keys: Commits[]): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  for (const key of keys) {
    const offset = await client.fetchOffset(key.group, TOPIC, key.partition)
    expect(key.possible, `${key.group}, partition ${key.partition}`).toContain(offset)
    key.possible = [offset]
  }
  await client.close()
}
