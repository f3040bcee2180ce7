import { openDatabase } from './database.js'
import { sectionOf } from './events.js'

/** Makes the tables, where they are not there. */
export async function createStatistics(url) {
  const database = openDatabase(url)
  await database.query('CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, status TEXT NOT NULL)')
  await database.query(`
    CREATE TABLE IF NOT EXISTS sections (
      section TEXT PRIMARY KEY, reservations INTEGER NOT NULL, cancellations INTEGER NOT NULL
    )`)
  await database.close()
}

/**
 * Reservations and cancellations of each section. A sum cannot bear a repetition, so the ids of what was counted are
 * kept beside it, and both change in one transaction.
 */
export class Statistics {
  #database

  /** @param {string} url */
  constructor(url) {
    this.#database = openDatabase(url)
  }

  /** @param {import('./events.js').Event[]} events in the order of the log */
  count(events) {
    return this.#database.transaction(async (query) => {
      for (const { type, id, seat } of events) {
        const count = (reservations, cancellations) =>
          query(
            `INSERT INTO sections VALUES (?, ?, ?) ON CONFLICT (section) DO UPDATE SET
               reservations = sections.reservations + excluded.reservations,
               cancellations = sections.cancellations + excluded.cancellations`,
            ...[sectionOf(seat), reservations, cancellations],
          )
        if (type === 'ReservationCreated') {
          const fresh = await query(
            `INSERT INTO seen VALUES (?, 'reserved') ON CONFLICT (id) DO NOTHING RETURNING id`,
            id,
          )
          if (fresh.length > 0) await count(1, 0)
        } else {
          const cancelled = await query(
            `UPDATE seen SET status = 'cancelled' WHERE id = ? AND status = 'reserved' RETURNING id`,
            id,
          )
          if (cancelled.length > 0) await count(0, 1)
          // Cancelled before it is there: its creation, should it still come, does not count.
          else await query(`INSERT INTO seen VALUES (?, 'cancelled') ON CONFLICT (id) DO NOTHING`, id)
        }
      }
    })
  }

  /** @returns {Promise<{ section: string, reservations: number, cancellations: number }[]>} */
  sections() {
    return this.#database.query('SELECT * FROM sections ORDER BY section')
  }

  close() {
    return this.#database.close()
  }
}
