import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { partitionRecords } from '../../support/data-directory.js'
import { isLostConnection } from '../../support/ledger.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint, kill, restart } from './kill.js'

const TOPIC = 'topic'
const RECORDS = 2000
const IN_FLIGHT = 8

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
  let broker = await BrokerProcess.start(options)
  await fill(broker)
  for (let round = 0; round < rounds; round++) {
    const point = new KillPoint(random, 400)
    const work = keys.map((key) => commit(broker, key, point, random))
    await point.reached
    await kill(broker, random)
    await Promise.all(work)
    broker = await restart(options, random)
    await compare(broker, keys)
    if (compacting) continue
    const commits = await partitionRecords(options.dataDir, '__consumer_offsets', 0)
    const unique = new Set(commits.map(({ key }) => key?.toString('hex'))).size
    expect(broker.output).toContain(`loaded ${commits.length} commits (${unique} unique keys)`)
  }
  await broker.stop()
}

async function fill(broker: BrokerProcess): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  await client.createTopic(TOPIC, 2)
  const records = Array.from({ length: RECORDS }, () => ({ value: 'x' }))
  for (const partition of [0, 1]) await client.produce(TOPIC, records, { partition })
  await client.close()
}

async function commit(broker: BrokerProcess, key: Commits, point: KillPoint, random: Random): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  const underWay: Promise<void>[] = []
  while (!client.closed) {
    // None above the log's end: such a commit would be set to it.
    const offset = random.integer(0, RECORDS)
    const place = key.possible.push(offset) - 1
    underWay.push(
      client.commitOffset(key.group, TOPIC, key.partition, offset).then(
        () => {
          key.possible.fill(offset, 0, place)
          point.answered()
        },
        (error: unknown) => expect(isLostConnection(error), String(error)).toBe(true),
      ),
    )
    if (underWay.length >= IN_FLIGHT) await underWay.shift()
  }
  await Promise.all(underWay)
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
