/**
 * Many clients of both wires, faults in turns, and the checker over what the clients have written down. A round keeps
 * its histories where they hold a violation.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUp } from '../../support/clean-up.js'
import { relay } from '../../support/relay.js'
import { seededRandom } from '../../support/seeded-random.js'
import { canMount, smallDisk } from '../../support/small-disk.js'
import { temporaryDirectory } from '../../support/temporary.js'
import type { Harness, Outcome, Row, RunOptions } from '../harness.js'
import { check, historiesIn, show, type Verdict } from './checker.js'
import { administrator, makeTopics, topicMaker } from './clients/administrator.js'
import { committer, readCommits } from './clients/committer.js'
import { idempotentProducer } from './clients/idempotent-producer.js'
import { groupMember } from './clients/members.js'
import { clientProducer, kafkaProducer, mykafkaProducer } from './clients/producers.js'
import { clientConsumer, kafkaReader, mykafkaReader, readToEnd } from './clients/readers.js'
import {
  BATCHES,
  COMPACTED_BATCHES,
  COMPACTED_RECORDS,
  partitionsOf,
  RECORDS,
  RETAINED,
  TOPICS,
  TRIMMED,
} from './clients/topics.js'
import { World } from './clients/world.js'
import { MIXES, Nemesis } from './nemesis.js'

const FAULTS_A_ROUND = 4
const DISK_MIB = 128
/** A round takes seconds. */
const LONGEST_ROUND_MS = 240_000
const ALL = -1
const GROUP = 'members'

const MYKAFKA_TOPICS = [RECORDS, COMPACTED_RECORDS]
const KAFKA_TOPICS = [BATCHES, TRIMMED, RETAINED, COMPACTED_BATCHES]

/** Everyone who works while the broker is struck. */
function clients(world: World): Promise<void>[] {
  const [first, second] = partitionsOf(BATCHES)
  const [compacted] = partitionsOf(COMPACTED_BATCHES)
  if (first === undefined || second === undefined || compacted === undefined) throw new Error('no partitions')
  return [
    kafkaProducer(world, 'kafka-1', 1, KAFKA_TOPICS),
    kafkaProducer(world, 'kafka-all', ALL, TOPICS),
    mykafkaProducer(world, 'mykafka-1', MYKAFKA_TOPICS),
    mykafkaProducer(world, 'mykafka-2', TOPICS),
    clientProducer(world, 'client-producer', TOPICS),
    idempotentProducer(world, 'idempotent-1', 1, first),
    idempotentProducer(world, 'idempotent-all', ALL, second),
    idempotentProducer(world, 'idempotent-keyed', 1, compacted),
    kafkaReader(world, 'kafka-reader-1', TOPICS),
    kafkaReader(world, 'kafka-reader-2', TOPICS),
    mykafkaReader(world, 'mykafka-reader', TOPICS),
    clientConsumer(world, 'client-consumer', [RECORDS]),
    ...[1, 2, 3].map((number) => groupMember(world, `member-${number}`, GROUP, BATCHES)),
    committer(world, 'committer-1', 'register'),
    committer(world, 'committer-2', 'register'),
    administrator(world),
    topicMaker(world, 'made'),
  ]
}

/** One round. Returns where its histories are, and what the check of them said. */
async function round(seed: number, faults: (typeof MIXES)[string]): Promise<{ verdict: Verdict; histories: string }> {
  const random = seededRandom(seed)
  const directory = await temporaryDirectory()
  const histories = join(directory, 'histories')
  await mkdir(histories)
  // The faults are the process's: a disk that others keep busy would only make it slow.
  const disk = canMount ? await smallDisk(DISK_MIB, 0) : null
  const address = await relay()
  const nemesis = await Nemesis.start(directory, address, random, disk)
  const world = new World(address.port, histories, seed)
  const giveUp = setTimeout(() => {
    world.abandon()
    // Whoever waits for a broker hears that it is gone.
    void cleanUp()
  }, LONGEST_ROUND_MS)
  try {
    await makeTopics(world, TOPICS)
    const { recorder } = world.client('nemesis')
    const working = Promise.all(clients(world))
    const striking = async (): Promise<void> => {
      for (let left = FAULTS_A_ROUND; left > 0 && !world.isStopping; left--) {
        await world.pause(random.integer(100, 700))
        if (!world.isStopping) await nemesis.strike(world, faults, recorder)
      }
      await world.pause(300)
      world.stop()
    }
    await Promise.all([striking(), working]).finally(() => world.stop())
    await readToEnd(world, 'final', TOPICS)
    await readCommits(
      world,
      'final-commits',
      new Map([
        [GROUP, BATCHES.name],
        ['register', RECORDS.name],
      ]),
    )
    await nemesis.restart()
    await readToEnd(world, 'restarted', TOPICS)
    await readCommits(
      world,
      'restarted-commits',
      new Map([
        [GROUP, BATCHES.name],
        ['register', RECORDS.name],
      ]),
    )
    await nemesis.stop()
    // What the broker had to say is kept beside what its clients saw.
    await writeFile(join(histories, 'broker.log'), nemesis.outputs.join('\n'))
  } finally {
    clearTimeout(giveUp)
    world.close()
  }
  return { verdict: await check(await historiesIn(histories)), histories }
}

async function run({ seed: firstSeed, rounds, log, signal }: RunOptions): Promise<Outcome> {
  const rows: Row[] = []
  const failures: string[] = []
  const mixes = Object.entries(MIXES).filter(([, faults]) => canMount || faults.some((fault) => fault !== 'disk full'))
  for (let seed = firstSeed; seed < firstSeed + rounds && !signal.aborted; seed++) {
    const [fault, faults] = mixes[seed % mixes.length] as (typeof mixes)[number]
    const { verdict, histories } = await round(seed, faults)
    for (const [mode, { acknowledged, lost }] of verdict.counts) {
      rows.push({ fault, mode, promised: true, rounds: 1, acknowledged, lost, wrong: 0 })
    }
    // What is wrong is no mode's: it counts once.
    const [row] = rows.slice(-verdict.counts.size)
    if (row !== undefined) rows[rows.indexOf(row)] = { ...row, wrong: verdict.wrong }
    for (const mode of ['acks=1', 'acks=all']) {
      if (!verdict.counts.get(mode)?.acknowledged) failures.push(`seed ${seed}: nothing was acknowledged (${mode})`)
    }
    const { lines, partitions, duplicates, violations } = verdict
    log(`seed ${seed}: ${fault}: ${lines} lines about ${partitions} partitions, ${duplicates} repeated records`)
    if (violations.length > 0) failures.push(...(await report(seed, histories, verdict)))
    await cleanUp()
  }
  return { rows, failures }
}

async function report(seed: number, histories: string, { violations }: Verdict): Promise<string[]> {
  const kept = join(tmpdir(), `mykafka-history-${seed}`)
  await cp(histories, kept, { recursive: true })
  const sources = await historiesIn(kept)
  const shown: string[] = []
  for (const violation of violations.slice(0, 20)) shown.push(`seed ${seed}: ${await show(violation, sources)}`)
  return [...shown, `seed ${seed}: ${violations.length} violations, the histories are in ${kept}`]
}

export const history: Harness = {
  about: 'many clients of both wires under all faults: their histories, by a checker',
  rounds: { ci: 5, full: 200 },
  run,
}
