import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Broker } from './broker.js'
import { check, readTopic } from './check.js'
import { withClient } from './connect.js'
import { DelayStats, GROUP as STATS_GROUP } from './delay-stats.js'
import { loadFlights, PARTITIONS, TOPIC } from './flights.js'
import { killAtRandom, randomNumbers } from './killer.js'
import { Producer } from './producer.js'
import { SqliteWriter, GROUP as WRITER_GROUP } from './sqlite-writer.js'

const KILLS = 10
const TIME_LIMIT_MS = 120_000

const begin = performance.now()
const seed = Number(process.env.MYKAFKA_SEED ?? Math.floor(Math.random() * 2 ** 31))
const signal = AbortSignal.timeout(TIME_LIMIT_MS)
const data = fileURLToPath(new URL('data/', import.meta.url))
const flightsFile = `${data}flights.db`
const statsFile = `${data}stats.db`

await rm(data, { recursive: true, force: true })
await mkdir(data)
const flights = await loadFlights()
const broker = new Broker(`${data}broker`)
console.log(`${flights.length} flights; MYKAFKA_SEED=${seed}`)

try {
  await broker.start()
  process.exitCode = (await run()) ? 0 : 1
} finally {
  await broker.kill()
}

async function run() {
  await withClient(broker, signal, (client) => client.createTopic(TOPIC, PARTITIONS))
  const producer = new Producer()
  const writer = new SqliteWriter(flightsFile)
  const stats = new DelayStats(statsFile)
  const progress = () => {
    const seen = Math.min(writer.seen, flights.length) + Math.min(stats.seen, flights.length)
    return (producer.acknowledged.length + seen) / (3 * flights.length)
  }
  await Promise.all([
    producer.run(broker, TOPIC, flights, signal),
    writer.run(broker, signal, () => producer.finished),
    stats.run(broker, signal, () => producer.finished),
    killAtRandom(broker, { times: KILLS, random: randomNumbers(seed), progress, signal }),
  ])
  writer.close()
  stats.close()

  // What is checked is what a broker has that was stopped and started once more.
  if ((await broker.stop()) !== 0) throw new Error('the broker did not stop cleanly')
  await broker.start()
  const { log, committed } = await withClient(broker, signal, async (client) => ({
    log: await readTopic(client, TOPIC),
    committed: {
      [WRITER_GROUP]: await committedOffsets(client, WRITER_GROUP),
      [STATS_GROUP]: await committedOffsets(client, STATS_GROUP),
    },
  }))
  const records = log.flat().length
  console.log(`killed with kill -9  ${KILLS} times
records in the log   ${records} (${log.map((partition) => partition.length).join(' + ')})
sent again           ${producer.sent.reduce((sum, times) => sum + times - 1, 0)}, of which ${records - flights.length} had been written already
${WRITER_GROUP.padEnd(20)} ${writer.seen} records, ${writer.redelivered} of them delivered again
${STATS_GROUP.padEnd(20)} ${stats.seen} records, ${stats.repeated} of them repetitions of a flight`)
  return report(check({ flights, producer, log, committed, flightsFile, statsFile }))
}

function committedOffsets(client, group) {
  return Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => client.fetchOffset(group, TOPIC, partition)))
}

function report(claims) {
  for (const [claim, contradictions] of claims) {
    console.log(`${contradictions.length === 0 ? 'holds ' : 'BROKEN'}  ${claim}`)
    for (const contradiction of contradictions.slice(0, 5)) console.log(`          ${contradiction}`)
  }
  const holding = claims.filter(([, contradictions]) => contradictions.length === 0).length
  console.log(`${holding} of ${claims.length} claims hold, ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  return holding === claims.length
}
