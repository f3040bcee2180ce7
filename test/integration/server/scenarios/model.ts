import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { native } from '../../../../src/native/load.js'
import type { BrokerOptions } from '../../../../src/server/broker.js'
import { startBroker, type TestBroker } from '../../../support/broker.js'
import * as frames from '../../../support/frames.js'
import type { Peer } from '../../../support/peer.js'
import { type Random, testRandom } from '../../../support/random.js'
import { readStoredEntries } from '../../../support/stored-format.js'
import { temporaryDirectory } from '../../../support/temporary.js'

const PARTITIONS = 6
const PEERS = 4

/** What a broker must answer: the values of each partition, and what each group committed. */
class Model {
  readonly values: Buffer[][] = Array.from({ length: PARTITIONS }, () => [])
  readonly commits = new Map<string, number>()
}

type Check = (answer: Buffer) => void

/** A random request of one peer to a partition that only it writes to, and what the answer must be. */
function step(random: Random, model: Model, partition: number): [request: Buffer, check: Check] {
  const values = model.values[partition] as Buffer[]
  const kind = random.integer(0, 9)
  if (kind < 4) {
    const length = random.pick([0, 10, 100, 1000, 5000, random.integer(0, 70_000)])
    const records = Array.from({ length: random.integer(1, length > 1000 ? 3 : 40) }, () => random.bytes(length))
    const base = values.length
    values.push(...records)
    return [
      frames.produce(
        't',
        partition,
        records.map((value) => ({ value })),
      ),
      (answer) => expect(answer).toEqual(frames.produced(0, partition, base, records.length)),
    ]
  }
  if (kind < 8) {
    const end = values.length
    const offset = random.integer(0, end)
    const maxBytes = random.pick([0, 1, 500, 5000, 100_000, 1 << 20])
    return [
      frames.fetch('t', partition, offset, maxBytes),
      (answer) => {
        const { errorCode, count, records } = frames.readFetched(answer)
        expect({ errorCode, empty: count === 0 }).toEqual({ errorCode: 0, empty: offset === end })
        expect(count <= 1 || records.length <= maxBytes).toBe(true)
        const entries = readStoredEntries(records)
        expect(entries.length).toBe(count)
        const wrong = entries.findIndex(
          (entry, i) => entry.offset !== BigInt(offset + i) || !entry.value?.equals(values[offset + i] as Buffer),
        )
        expect(wrong, `${count} records from ${offset} on`).toBe(-1)
      },
    ]
  }
  const group = `g${partition}`
  if (kind === 8) {
    const offset = random.integer(0, values.length)
    model.commits.set(group, offset)
    return [frames.commitOffset(group, 't', partition, offset), (answer) => expect(answer).toEqual(frames.committed(0))]
  }
  const offset = model.commits.get(group) ?? -1
  return [
    frames.fetchOffset(group, 't', partition),
    (answer) => expect(answer).toEqual(frames.offsetFetched(0, offset)),
  ]
}

async function converse(random: Random, model: Model, peer: Peer, partitions: number[], count: number): Promise<void> {
  const checks: Check[] = []
  for (let i = 0; i < count; i++) {
    const [request, check] = step(random, model, random.pick(partitions))
    peer.send(request)
    checks.push(check)
    if (checks.length < random.pick([1, 5, 30])) continue
    for (const each of checks.splice(0)) each(await peer.frame())
  }
  for (const each of checks) each(await peer.frame())
}

/**
 * Many peers at once have random conversations with a broker, with restarts in between, clean and not; each answer is
 * held against a model.
 */
export async function converseAndRestart(options: BrokerOptions, openFiles: number, rounds: number): Promise<void> {
  const random = testRandom()
  const model = new Model()
  const dataDir = await temporaryDirectory()
  const start = (): Promise<TestBroker> => startBroker({ dataDir, indexIntervalBytes: 200, fsync: 'acks', ...options })
  let broker = await start()
  expect(await (await broker.connect()).call(frames.createTopic('t', PARTITIONS))).toEqual(frames.created(0))
  for (let round = 0; round < rounds; round++) {
    native.setOpenFileLimit(openFiles)
    const peers = await Promise.all(Array.from({ length: PEERS }, () => broker.connect()))
    await Promise.all(
      peers.map((peer, i) => {
        const own = Array.from({ length: PARTITIONS }, (_, partition) => partition).filter((p) => p % PEERS === i)
        return converse(random, model, peer, own, 120)
      }),
    )
    await broker.stop()
    if (round % 2 === 1) await rm(join(dataDir, '@broker', 'clean-shutdown'))
    broker = await start()
    expect([...broker.logger.messages('warn'), ...broker.logger.messages('error')]).toEqual([])
  }
  const ends = model.values.map(({ length }): [number, number] => [0, length])
  expect(await (await broker.connect()).call(frames.metadata('t'))).toEqual(frames.described(0, { t: ends }))
}
