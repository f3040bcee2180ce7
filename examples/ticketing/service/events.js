/**
 * What the log holds. The key is the seat: all that happens to a seat is in one partition, in the order in which it
 * happened.
 *
 * @typedef {object} Event
 * @property {'ReservationCreated' | 'ReservationCancelled'} type
 * @property {string} id of the reservation, chosen by the customer's side: who asks again asks for the same one
 * @property {string} seat such as C-07: row C is a section
 * @property {string} customer
 * @property {number} at ms since 1970, when it was asked for
 */

export const TOPIC = 'reservations'
export const PARTITIONS = 6

/** Inserts into the database. */
export const WORKER_GROUP = 'reservations-database'
/** Counts. */
export const STATISTICS_GROUP = 'reservations-statistics'

/**
 * @param {Event['type']} type
 * @param {{ id: string, seat: string, customer: string }} reservation
 */
export function record(type, { id, seat, customer }) {
  return { topic: TOPIC, key: seat, value: JSON.stringify({ type, id, seat, customer, at: Date.now() }) }
}

/**
 * @param {{ value: Buffer | null }} record
 * @returns {Event}
 */
export function eventOf(record) {
  return JSON.parse(String(record.value))
}

/** @param {string} seat */
export function sectionOf(seat) {
  return seat.slice(0, seat.indexOf('-'))
}
