import Database from 'better-sqlite3'
import { consume } from './consumer.js'
import { PARTITIONS, TOPIC } from './flights.js'

export const GROUP = 'delay-stats'

/**
 * Counts the flights of each origin and adds up their delays. A record must not count twice:
 *
 * - One that is delivered again: the position is stored with the sums, in one transaction, and read from there. The
 *   offsets committed to the broker only show others how far the group is.
 * - One that the producer sent again: the flights of a key come in order, so one whose number does not grow is a
 *   repetition.
 */
export class DelayStats {
  #db
  #count
  /** Records handled. */
  seen = 0
  /** Of these, repetitions of a flight. */
  repeated = 0

  /** @param {string} path */
  constructor(path) {
    this.#db = new Database(path)
    this.#db.pragma('journal_mode = WAL')
    this.#db.exec(`
      CREATE TABLE origins (origin TEXT PRIMARY KEY, flights INTEGER, delay INTEGER, last_flight INTEGER);
      CREATE TABLE positions (partition INTEGER PRIMARY KEY, "offset" INTEGER)`)
    const add = this.#db.prepare(`
      INSERT INTO origins VALUES (@origin, 1, @delay, @flight)
      ON CONFLICT DO UPDATE SET flights = flights + 1, delay = delay + @delay, last_flight = @flight
      WHERE @flight > last_flight`)
    const setPosition = this.#db.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?)')
    this.#count = this.#db.transaction((partition, records) => {
      for (const { value } of records) {
        const { origin, delay, flight } = JSON.parse(value)
        this.repeated += 1 - add.run({ origin, delay, flight }).changes
      }
      setPosition.run(partition, records.at(-1).offset + 1)
    })
  }

  /**
   * @param {{ host: string, port: number }} address
   * @param {AbortSignal} signal
   * @param {() => boolean} atEnd
   */
  async run(address, signal, atEnd) {
    const position = this.#db.prepare('SELECT "offset" FROM positions WHERE partition = ?').pluck()
    await consume(address, signal, {
      topic: TOPIC,
      partitions: PARTITIONS,
      group: GROUP,
      position: async (_client, partition) => position.get(partition) ?? 0,
      handle: (partition, records) => {
        this.#count(partition, records)
        this.seen += records.length
      },
      atEnd,
    })
  }

  close() {
    this.#db.close()
  }
}
