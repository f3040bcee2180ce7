import Database from 'better-sqlite3'
import { consume } from './consumer.js'
import { PARTITIONS, TOPIC } from './flights.js'

export const GROUP = 'sqlite-writer'

/**
 * Writes a row for each record. It goes on from the group's committed offset, which is committed behind the insert:
 * what was inserted but not committed is delivered again. Partition and offset are the primary key, so a row that
 * comes again changes nothing.
 */
export class SqliteWriter {
  #db
  #insert
  /** Records handled. */
  seen = 0
  /** Of these, records whose row was there already. */
  redelivered = 0

  /** @param {string} path */
  constructor(path) {
    this.#db = new Database(path)
    this.#db.pragma('journal_mode = WAL')
    this.#db.exec(`
      CREATE TABLE flights (
        partition INTEGER, "offset" INTEGER, key TEXT,
        flight INTEGER, date TEXT, delay INTEGER, distance INTEGER, origin TEXT, destination TEXT,
        PRIMARY KEY (partition, "offset")
      ) WITHOUT ROWID`)
    const insert = this.#db.prepare(`
      INSERT INTO flights VALUES (@partition, @offset, @key, @flight, @date, @delay, @distance, @origin, @destination)
      ON CONFLICT DO NOTHING`)
    this.#insert = this.#db.transaction((partition, records) => {
      for (const { offset, key, value } of records) {
        const { changes } = insert.run({ ...JSON.parse(value), partition, offset, key: String(key) })
        this.redelivered += 1 - changes
      }
    })
  }

  /**
   * @param {{ host: string, port: number }} address
   * @param {AbortSignal} signal
   * @param {() => boolean} atEnd
   */
  async run(address, signal, atEnd) {
    await consume(address, signal, {
      topic: TOPIC,
      partitions: PARTITIONS,
      group: GROUP,
      position: async (client, partition) => (await client.fetchOffset(GROUP, TOPIC, partition)) ?? 0,
      handle: (partition, records) => {
        this.#insert(partition, records)
        this.seen += records.length
      },
      atEnd,
    })
  }

  close() {
    this.#db.close()
  }
}
