import Database from 'better-sqlite3'
import { expectedPartition } from './murmur2.js'

/**
 * Reads a topic from its beginning to its end.
 *
 * @param {import('mykafka/client').Client} client
 * @param {string} topic
 * @returns {Promise<{ offset: number, key: string, flight: import('./flights.js').Flight }[][]>} by partition
 */
export async function readTopic(client, topic) {
  const [{ partitions }] = await client.metadata(topic)
  return Promise.all(
    partitions.map(async ({ logStartOffset, highWatermark }, partition) => {
      const log = []
      for (let offset = logStartOffset; offset < highWatermark; offset = log.at(-1).offset + 1) {
        const records = await client.fetch(topic, partition, offset)
        if (records.length === 0) throw new Error(`${topic}-${partition} ends at ${offset}, before ${highWatermark}`)
        log.push(...records.map(({ offset, key, value }) => ({ offset, key: String(key), flight: JSON.parse(value) })))
      }
      return log
    }),
  )
}

/**
 * Every claim, with what contradicts it.
 *
 * @param {object} evidence
 * @param {import('./flights.js').Flight[]} evidence.flights what was to be produced
 * @param {import('./producer.js').Producer} evidence.producer
 * @param {Awaited<ReturnType<typeof readTopic>>} evidence.log
 * @param {Record<string, (number | null)[]>} evidence.committed by group, by partition
 * @param {string} evidence.flightsFile
 * @param {string} evidence.statsFile
 * @returns {[claim: string, contradictions: string[]][]}
 */
export function check({ flights, producer, log, committed, flightsFile, statsFile }) {
  return [
    ['what was acknowledged is in the log, at its offset', acknowledged(producer, log)],
    ['offsets run on without a gap', gaps(log)],
    ['every flight is in the log as it was sent', contents(flights, log)],
    ['only unanswered PRODUCEs that were sent again are there twice', duplicates(producer, log)],
    ['the flights of a key are in order', order(log)],
    ['each key is in the partition that murmur2 gives it', placement(log)],
    ['both groups committed up to the end', ends(committed, log)],
    ['flights.db has a row for every record, and no other', rows(flightsFile, log)],
    ['stats.db has the right count and sum of delays for every origin', statistics(statsFile, flights)],
  ]
}

function acknowledged(producer, log) {
  return producer.acknowledged.flatMap(({ partition, offset }, flight) => {
    const found = log[partition]?.[offset]?.flight.flight
    return found === flight ? [] : [`flight ${flight} is not at ${partition}/${offset}: ${found} is`]
  })
}

function gaps(log) {
  return log.flatMap((records, partition) =>
    records.flatMap(({ offset }, at) => (offset === at ? [] : [`${partition}/${at} has the offset ${offset}`])),
  )
}

function contents(flights, log) {
  const found = new Set()
  const wrong = log.flat().filter(({ key, flight }) => {
    found.add(flight.flight)
    const sent = flights[flight.flight]
    return key !== sent?.origin || JSON.stringify(flight) !== JSON.stringify(sent)
  })
  const missing = flights.filter(({ flight }) => !found.has(flight))
  return [
    ...wrong.map(({ flight }) => `flight ${flight.flight} is not as it was sent`),
    ...missing.map(({ flight }) => `flight ${flight} is missing`),
  ]
}

function duplicates(producer, log) {
  const copies = []
  for (const { flight } of log.flat()) copies[flight.flight] = (copies[flight.flight] ?? 0) + 1
  return copies.flatMap((count, flight) =>
    count <= producer.sent[flight]
      ? []
      : [`flight ${flight} is there ${count} times, sent ${producer.sent[flight]} times`],
  )
}

/** The first copies of the flights of a key rise; so do the copies that were acknowledged, the last ones. */
function order(log) {
  const wrong = []
  for (const [copies, records] of [
    ['first', log.flat()],
    ['last', log.flatMap((partition) => partition.toReversed())],
  ]) {
    const seen = new Set()
    const latest = new Map()
    for (const { key, flight } of records) {
      if (seen.has(flight.flight)) continue
      seen.add(flight.flight)
      const before = latest.get(key)
      const rises = copies === 'first' ? flight.flight > (before ?? -1) : flight.flight < (before ?? Infinity)
      if (!rises) wrong.push(`${key}: the ${copies} copy of flight ${flight.flight} is on the wrong side of ${before}`)
      latest.set(key, flight.flight)
    }
  }
  return wrong
}

function placement(log) {
  return log.flatMap((records, partition) =>
    [...new Set(records.map(({ key }) => key))]
      .filter((key) => expectedPartition(Buffer.from(key), log.length) !== partition)
      .map((key) => `${key} is in partition ${partition}`),
  )
}

function ends(committed, log) {
  return Object.entries(committed).flatMap(([group, offsets]) =>
    log.flatMap((records, partition) =>
      offsets[partition] === records.length
        ? []
        : [`${group} committed ${offsets[partition]} of partition ${partition}, which ends at ${records.length}`],
    ),
  )
}

function rows(file, log) {
  const db = new Database(file, { readonly: true })
  const stored = db.prepare('SELECT * FROM flights ORDER BY partition, "offset"').all()
  db.close()
  const expected = log.flatMap((records, partition) =>
    records.map(({ offset, key, flight }) => ({ partition, offset, key, ...flight })),
  )
  const wrong = expected.flatMap((row, at) =>
    JSON.stringify(row) === JSON.stringify(stored[at]) ? [] : [`row ${at} is not ${JSON.stringify(row)}`],
  )
  return stored.length === expected.length ? wrong : [`${stored.length} rows, ${expected.length} records`, ...wrong]
}

function statistics(file, flights) {
  const db = new Database(file, { readonly: true })
  const stored = db.prepare('SELECT origin, flights, delay FROM origins').all()
  db.close()
  const expected = new Map()
  for (const { origin, delay } of flights) {
    const sum = expected.get(origin) ?? { flights: 0, delay: 0 }
    expected.set(origin, { flights: sum.flights + 1, delay: sum.delay + delay })
  }
  const wrong = stored.filter((row) => {
    const sum = expected.get(row.origin)
    return row.flights !== sum?.flights || row.delay !== sum.delay
  })
  const count = stored.length === expected.size ? [] : [`${stored.length} origins, not ${expected.size}`]
  return [...count, ...wrong.map((row) => `wrong: ${JSON.stringify(row)}`)]
}
