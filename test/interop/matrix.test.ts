/**
 * What any client wrote comes back byte for byte, whichever reads it: from topics of record batches, and, but for
 * headers, from topics of MyKafka's entries; by MyKafka's own wire too.
 */
import { describe, expect, it } from 'vitest'
import { sharedBroker } from './support/broker.js'
import { isApacheKafka } from './support/broker-choice.js'
import type { ReadRecord } from './support/client-program.js'
import { type Client, CODECS } from './support/clients.js'
import { byName, installedClients } from './support/installed-clients.js'
import { createMyKafkaTopic, MYKAFKA_WIRE, readOverMyKafka, writeOverMyKafka } from './support/mykafka-wire.js'
import { examples, type WrittenRecord } from './support/records.js'
import { consume, createTopic, produce } from './support/scenario.js'
import { storedBatches } from './support/stored-batches.js'

const PARTITIONS = 2

/** What one of the writers has written. */
interface Written {
  readonly writer: string
  readonly topic: string
  readonly records: readonly WrittenRecord[]
}

type Reader = Pick<Client, 'name' | 'confuses'>

interface Format {
  readonly name: string
  readonly headers: boolean
  readonly isBatches: boolean
  createTopic(): Promise<string>
}

const FORMATS: Format[] = [
  {
    name: 'kafka topics',
    headers: true,
    isBatches: true,
    // Records of long ago are to stay.
    createTopic: () => createTopic('kafka', PARTITIONS, { 'retention.ms': '-1' }),
  },
]
if (!isApacheKafka) {
  FORMATS.push({
    name: 'mykafka topics',
    headers: false,
    isBatches: false,
    createTopic: () => createMyKafkaTopic(PARTITIONS),
  })
}

async function write(client: Client, topic: string, headers: boolean): Promise<WrittenRecord[]> {
  const { cannotWrite = [] } = client
  const records = examples({ cannotWrite, headers, partitions: PARTITIONS })
  const batches = [
    { topic, records: examples({ cannotWrite, headers, partitions: PARTITIONS, large: true }) },
    ...CODECS.map((codec) => ({ topic, codec, records })),
  ]
  await produce(client, batches)
  return batches.flatMap((batch) => batch.records)
}

/** How many records a topic of record batches holds. */
async function storedCount(topic: string): Promise<number> {
  const { segment } = await sharedBroker()
  const batches = Array.from({ length: PARTITIONS }, (_, partition) => storedBatches(segment(topic, partition)))
  return batches.flat().reduce((sum, { count }) => sum + count, 0)
}

/** A record at its place, as text that is the same where all that must be the same is. */
function told({ partition, key, value, headers, timestamp }: WrittenRecord, offset: number): string {
  return JSON.stringify([partition, offset, timestamp, key, value, headers])
}

/** What is left of a record for a reader that does not tell everything apart. */
function seen<T extends WrittenRecord | ReadRecord>(record: T, confuses: Client['confuses']): T {
  if (confuses === undefined) return record
  const headers = record.headers.map(([name, value]) => [name, value ?? ''] as const)
  if (confuses === 'null headers and empty ones') return { ...record, headers }
  return { ...record, key: record.key ?? '', value: record.value ?? '', headers }
}

/** What was read otherwise than it was written, in a few words: a record may be long. */
function differences(
  written: readonly WrittenRecord[],
  read: readonly ReadRecord[],
  confuses: Client['confuses'],
  hasHeaders: boolean,
): string[] {
  const places = new Map(read.map((record) => [`${record.partition} ${record.offset}`, record]))
  const next = new Map<number, number>()
  return written.flatMap((record) => {
    const offset = next.get(record.partition) ?? 0
    next.set(record.partition, offset + 1)
    const found = places.get(`${record.partition} ${offset}`)
    if (found === undefined) return [`nothing at ${record.partition} ${offset}`]
    // Without one of its own, the record has the writer's clock.
    const timestamp = record.timestamp ?? found.timestamp
    const headers = hasHeaders ? record.headers : []
    const wanted = told(seen({ ...record, timestamp, headers }, confuses), offset)
    const got = told(seen(found, confuses), found.offset)
    return wanted === got ? [] : [`wanted ${wanted.slice(0, 400)}, got ${got.slice(0, 400)}`]
  })
}

describe.each(byName(FORMATS))('%s', (_format, { headers, isBatches, createTopic: create }) => {
  const all: Written[] = []
  /** As the first reader found them: the clock of a writer is told to nobody else. */
  const timestamps = new Map<string, number>()
  const begin = Date.now()
  const writers = installedClients().length + (isApacheKafka ? 0 : 1)

  function check({ name: reader, confuses }: Reader, records: readonly ReadRecord[], hasHeaders = headers): void {
    expect(all.length, 'writers').toBe(writers)
    for (const { writer, topic, records: written } of all) {
      const of = records.filter((record) => record.topic === topic)
      expect(of.length, `records of ${writer}`).toBe(written.length)
      expect(differences(written, of, confuses, hasHeaders), `${writer}, read by ${reader}`).toEqual([])
      for (const { partition, offset, timestamp } of of) {
        const place = `${topic} ${partition} ${offset}`
        expect(timestamp, `timestamp of ${writer}, ${place}`).toBe(timestamps.get(place) ?? timestamp)
        timestamps.set(place, timestamp)
      }
    }
  }

  it.each(byName(installedClients()))('%s writes', async (_name, client) => {
    const topic = await create()
    const records = await write(client, topic, headers)
    if (isBatches) expect(await storedCount(topic)).toBe(records.length)
    all.push({ writer: client.name, topic, records })
  })

  if (!isApacheKafka) {
    it(`${MYKAFKA_WIRE} writes`, async () => {
      const topic = await create()
      all.push({ writer: MYKAFKA_WIRE, topic, records: await writeOverMyKafka(topic, PARTITIONS) })
    })
  }

  it.each(byName(installedClients()))('%s reads what all wrote', async (_name, client) => {
    check(client, await consume(client, Object.fromEntries(all.map(({ topic, records }) => [topic, records.length]))))
  })

  if (!isApacheKafka) {
    it(`${MYKAFKA_WIRE} reads what all wrote`, async () => {
      check(
        { name: MYKAFKA_WIRE },
        await readOverMyKafka(
          all.map(({ topic }) => topic),
          PARTITIONS,
        ),
        false,
      )
    })
  }

  it('timestamps that were not given are of the time of writing', () => {
    const given = new Set(all.flatMap(({ records }) => records.map(({ timestamp }) => timestamp)))
    const clocks = [...timestamps.values()].filter((timestamp) => !given.has(timestamp))
    expect(Math.min(...clocks)).toBeGreaterThanOrEqual(begin - 1000)
    expect(Math.max(...clocks)).toBeLessThanOrEqual(Date.now() + 1000)
  })
})
