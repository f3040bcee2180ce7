import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { fetchSome } from '../../support/both-wires.js'
import { startBroker, type TestBroker, zeroCopy } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { makeTopicWith } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { fetchBatches, readBatches } from '../../support/kafka-records.js'
import { scaled } from '../../support/scale.js'
import { readStoredEntries } from '../../support/stored-format.js'

const RECORDS = scaled(1800, 3000)
const AT_ONCE = 20
const HALT = scaled(600, 800)
const KEYS = 60
const TOPICS = { m: 'mykafka', k: 'kafka' } as const
type TopicName = keyof typeof TOPICS

const keyAt = (offset: number): string => `key ${(offset * 7) % KEYS}`
/** So long that answers are too long to be copied. */
const valueAt = (offset: number): string => `value ${offset} `.padEnd(600, String.fromCharCode(97 + (offset % 26)))
/** By offset; readers look at each many times. */
const WRITTEN = Array.from({ length: RECORDS }, (_, offset) => ({
  key: Buffer.from(keyAt(offset)),
  value: Buffer.from(valueAt(offset)),
}))

interface Found {
  readonly errorCode: number
  readonly records: readonly { readonly offset: number; readonly key: Buffer | null; readonly value: Buffer | null }[]
}

/** What a reader knows: whether there is more to come. */
interface Load {
  written: number
  done: boolean
  /** The writer halts for those who read late: what they ask for is there then. */
  readonly halted: Promise<void>
  goOn(): void
}

function newLoad(): Load {
  let goOn = (): void => {}
  const halted = new Promise<void>((resolve) => {
    goOn = resolve
  })
  return { written: 0, done: false, halted, goOn }
}

/** Every record is as it was written at its offset, and they ascend. */
function check(from: number, { records }: Found): void {
  let next = from
  for (const { offset, key, value } of records) {
    if (offset < next) throw new Error(`offset ${offset} where ${next} was to come`)
    const written = WRITTEN[offset]
    if (written === undefined) throw new Error(`nothing was written at ${offset}`)
    if (!key?.equals(written.key)) throw new Error(`the key at ${offset} is ${key}`)
    if (!value?.equals(written.value)) throw new Error(`the value at ${offset} is ${value?.subarray(0, 30)}`)
    next = offset + 1
  }
}

const POLL = { timeout: 30_000, interval: 5 }

async function bounds(broker: TestBroker, topic: string) {
  const client = await Client.connect({ port: broker.port })
  const [found] = await client.metadata(topic)
  await client.close()
  return found?.partitions[0] as NonNullable<typeof found>['partitions'][number]
}

/** The segments' files by their names and numbers: one that takes the place of another has a number of its own. */
function segmentFiles(broker: TestBroker, topic: TopicName): string[] {
  const directory = join(broker.dataDir, topic, '0')
  const names = readdirSync(directory).filter((name) => name.endsWith('.log'))
  return names.sort().map((name) => `${name} ${statSync(join(directory, name), { throwIfNoEntry: false })?.ino}`)
}

async function write(broker: TestBroker, topic: TopicName, load: Load): Promise<void> {
  const peer = await broker.connect()
  for (let offset = 0; offset < RECORDS; offset += AT_ONCE) {
    const records = Array.from({ length: AT_ONCE }, (_, i) => ({ key: keyAt(offset + i), value: valueAt(offset + i) }))
    const { errorCode, baseOffset } = frames.readProduced(await peer.call(frames.produce(topic, 0, records)))
    expect([errorCode, baseOffset]).toEqual([0, offset])
    load.written = offset + AT_ONCE
    if (load.written === HALT) await load.halted
  }
  load.done = true
}

/** Reads from the beginning to the end, again and again, while it is written. Returns how many records it saw. */
async function readAgainAndAgain(some: (offset: number) => Promise<Found>, load: Load): Promise<number> {
  let [offset, seen] = [0, 0]
  for (let isLast = false; ; ) {
    const found = await some(offset)
    if (found.errorCode === frames.ERROR.offsetOutOfRange) {
      // What it asks for is gone: somewhere behind it the log begins.
      offset += AT_ONCE
      continue
    }
    expect(found.errorCode).toBe(0)
    check(offset, found)
    seen += found.records.length
    offset = (found.records.at(-1)?.offset ?? offset - 1) + 1
    if (found.records.length > 0) continue
    if (isLast) return seen
    isLast = load.done
    offset = 0
  }
}

async function readers(broker: TestBroker, topic: TopicName, load: Load): Promise<Promise<number>[]> {
  const reading: Promise<number>[] = []
  for (const maxBytes of [900, 30_000, 1 << 20]) {
    const mykafka = await broker.connect()
    const kafka = await KafkaPeer.connect(broker.port)
    const overMyKafka = async (offset: number): Promise<Found> => {
      const { errorCode, entries } = await fetchSome(mykafka, topic, offset, maxBytes)
      return { errorCode, records: entries }
    }
    const overKafka = async (offset: number): Promise<Found> => {
      const { errorCode, batches } = await fetchBatches(kafka, topic, offset, { maxBytes })
      return { errorCode, records: await readBatches(batches, offset) }
    }
    reading.push(readAgainAndAgain(overMyKafka, load), readAgainAndAgain(overKafka, load))
  }
  return reading
}

/**
 * Asks for many large answers and takes none of them until other segments are there than those that they are of: what
 * the socket did not hold is read from files that are gone.
 */
async function readLate(broker: TestBroker, topic: TopicName, load: Load): Promise<number> {
  const peer = await broker.connect()
  await expect.poll(() => load.written, POLL).toBe(HALT)
  const there = segmentFiles(broker, topic)
  const middle = there.length >> 1
  const files = there.slice(middle, middle + 2)
  const from = Number.parseInt(files[0] as string, 10)
  const answers = Array.from({ length: 40 }, () => peer.call(frames.fetch(topic, 0, from, 4 << 20)))
  await once(peer.socket, 'data')
  peer.socket.pause()
  load.goOn()
  const left = (): string[] => segmentFiles(broker, topic).filter((file) => files.includes(file))
  await expect.poll(left, POLL).toEqual([])
  peer.socket.resume()
  let seen = 0
  for (const answer of await Promise.all(answers)) {
    const { errorCode, records } = frames.readFetched(answer)
    // The broker came to it when there was room for its answer.
    if (errorCode === frames.ERROR.offsetOutOfRange) continue
    expect(errorCode).toBe(0)
    const entries = readStoredEntries(records).map((entry) => ({ ...entry, offset: Number(entry.offset) }))
    check(from, { errorCode, records: entries })
    seen += entries.length
  }
  return seen
}

const COMMON = { 'segment.bytes': '65536', 'file.delete.delay.ms': '0', 'min.cleanable.dirty.ratio': '0' }
const POLICIES = [
  { 'cleanup.policy': 'delete', 'retention.bytes': '300000' },
  { 'cleanup.policy': 'compact' },
  { 'cleanup.policy': 'compact,delete', 'retention.bytes': '200000' },
] as const

/** Both are tested in CI, the second where MYKAFKA_ZERO_COPY says so. */
const ways = scaled([zeroCopy], [true, false])
const cases = ways.flatMap((way) =>
  POLICIES.map((policy) => ({ zeroCopy: way, policy, name: policy['cleanup.policy'] })),
)

describe.each(cases)('with zeroCopy $zeroCopy, where the policy is $name', ({ zeroCopy: way, policy }) => {
  it('readers of both wires, slow ones too, get no wrong byte', async () => {
    const broker = await startBroker({ zeroCopy: way, retentionCheckIntervalMs: 2, logCleanerBackoffMs: 1 })
    const kafka = await KafkaPeer.connect(broker.port)
    const reading: Promise<number>[] = []
    const writing: Promise<void>[] = []
    for (const topic of ['m', 'k'] as const) {
      await makeTopicWith(kafka, topic, { ...COMMON, ...policy, 'record.format': TOPICS[topic] })
      const load = newLoad()
      reading.push(...(await readers(broker, topic, load)), readLate(broker, topic, load))
      writing.push(write(broker, topic, load))
    }
    await Promise.all(writing)
    for (const seen of await Promise.all(reading)) expect(seen).toBeGreaterThan(0)
    expect(broker.logger.messages('error')).toEqual([])
    const peer = await broker.connect()
    for (const topic of ['m', 'k']) {
      const { highWatermark, logStartOffset } = await bounds(broker, topic)
      expect(highWatermark).toBe(RECORDS)
      const left = (await fetchSome(peer, topic, logStartOffset, 1 << 24)).entries
      expect(new Set(left.map(({ key }) => String(key))).size).toBe(KEYS)
    }
  })
})
