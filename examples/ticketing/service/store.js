import { openDatabase } from './database.js'

/**
 * @typedef {object} Reservation
 * @property {string} id
 * @property {string} seat
 * @property {string} customer
 * @property {'reserved' | 'cancelled'} status
 */

/** Makes the tables, where they are not there. */
export async function createStore(url) {
  const database = openDatabase(url)
  await database.query(`
    CREATE TABLE IF NOT EXISTS reservations (
      n ${database.counter},
      id TEXT NOT NULL UNIQUE,
      seat TEXT NOT NULL,
      customer TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('reserved', 'cancelled')),
      asked_at BIGINT NOT NULL,
      inserted_at BIGINT NOT NULL,
      log_partition INTEGER NOT NULL,
      log_offset BIGINT NOT NULL
    )`)
  // The last guard against selling a seat twice. The API's locks are the first: this one is never hit.
  await database.query(`
    CREATE UNIQUE INDEX IF NOT EXISTS a_seat_is_sold_once ON reservations (seat) WHERE status = 'reserved'`)
  await database.query(`
    CREATE TABLE IF NOT EXISTS outbox (n ${database.counter}, seat TEXT NOT NULL, event TEXT NOT NULL)`)
  await database.close()
}

/** The reservations, and the outbox of what the log must still be told. */
export class Store {
  #database

  /** @param {string} url */
  constructor(url) {
    this.#database = openDatabase(url)
  }

  /**
   * Does what an event says, in a transaction of its own. An event that comes again changes nothing, and neither does
   * the creation of a reservation that was cancelled: a cancelled one stays so.
   *
   * @param {import('./events.js').Event} event
   * @param {{ partition: number, offset: number }} position
   * @returns {Promise<boolean>} whether anything changed
   */
  async apply({ type, id, seat, customer, at }, { partition, offset }) {
    const status = type === 'ReservationCreated' ? 'reserved' : 'cancelled'
    const again =
      status === 'reserved' ? 'NOTHING' : `UPDATE SET status = 'cancelled' WHERE reservations.status = 'reserved'`
    const changed = await this.#database.query(
      `INSERT INTO reservations (id, seat, customer, status, asked_at, inserted_at, log_partition, log_offset)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO ${again} RETURNING n`,
      ...[id, seat, customer, status, at, Date.now(), partition, offset],
    )
    return changed.length > 0
  }

  /**
   * Cancels a reservation and puts into the outbox what the log must be told of it, both or neither.
   *
   * @param {string} id
   * @param {(reservation: Reservation) => { key: string, value: string }} recordOf
   * @returns {Promise<boolean>} false where there was no such reservation (yet)
   */
  cancel(id, recordOf) {
    return this.#database.transaction(async (query) => {
      const [cancelled] = await query(
        `UPDATE reservations SET status = 'cancelled' WHERE id = ? AND status = 'reserved' RETURNING *`,
        id,
      )
      if (cancelled === undefined) {
        const [known] = await query('SELECT status FROM reservations WHERE id = ?', id)
        // Reserved: it was inserted between the two statements.
        return known?.status === 'cancelled'
      }
      const { key, value } = recordOf(cancelled)
      await query('INSERT INTO outbox (seat, event) VALUES (?, ?)', key, value)
      return true
    })
  }

  /** @returns {Promise<{ n: number, seat: string, event: string }[]>} the oldest rows of the outbox */
  outbox(limit = 100) {
    return this.#database.query('SELECT n, seat, event FROM outbox ORDER BY n LIMIT ?', limit)
  }

  /** @param {number} n */
  async removeFromOutbox(n) {
    await this.#database.query('DELETE FROM outbox WHERE n = ?', n)
  }

  /** @returns {Promise<Reservation[]>} in the order in which they were inserted */
  reservations() {
    return this.#database.query('SELECT * FROM reservations ORDER BY n')
  }

  /** @returns {Promise<Reservation | undefined>} */
  async reservation(id) {
    return (await this.#database.query('SELECT * FROM reservations WHERE id = ?', id))[0]
  }

  close() {
    return this.#database.close()
  }
}
