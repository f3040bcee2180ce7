import { setTimeout as sleep } from 'node:timers/promises'
import { record } from './events.js'

/**
 * @typedef {object} Booking
 * @property {string} id
 * @property {string} seat
 * @property {string} customer
 * @property {'pending' | 'in doubt' | 'accepted' | 'cancelled'} status
 *   - pending: the broker was asked and has not answered
 *   - in doubt: it did not answer in time; the event may be in the log or not. The customer was answered 503
 *   - accepted: it is in the log
 *   - cancelled: for good
 * @property {{ partition: number, offset: number }} [position] in the log
 * @property {Promise<string>} [sending]
 * @property {NodeJS.Timeout} [patience]
 */

/**
 * The locks of the seats. They are in memory, and what the log says: all bookings pass through here, and a start reads
 * the log first (see booking-api.js).
 *
 * A seat is locked before its event is sent, and stays so until the log says that the reservation is cancelled. Where
 * the broker does not answer, nobody knows whether the event is in the log. So the lock stays, the customer is told
 * (503) to ask again for the same reservation, and is answered by what the log said meanwhile, or by sending the event
 * once more: who reads it takes the second one for a copy. A customer who does not come back is given up after a while:
 * the cancellation that is sent then holds whether or not the creation is in the log, and even if it comes in behind it.
 */
export class Bookings {
  #send
  #doubtMs
  /** By seat, the id of who has it. @type {Map<string, string>} */
  #holders = new Map()
  /** By id. @type {Map<string, Booking>} */
  #bookings = new Map()

  /**
   * @param {(record: { topic: string, key: string, value: string }) => Promise<{ partition: number, offset: number }>} send
   *   resolves when the broker has acknowledged it
   * @param {number} doubtMs
   */
  constructor(send, doubtMs) {
    this.#send = send
    this.#doubtMs = doubtMs
  }

  /** @param {string} id */
  booking(id) {
    return this.#bookings.get(id)
  }

  /** @param {string} seat */
  holder(seat) {
    return this.#holders.get(seat)
  }

  /**
   * @param {{ id: string, seat: string, customer: string }} asked
   * @returns {Promise<'accepted' | 'taken' | 'cancelled' | 'different' | 'unavailable'>}
   */
  async reserve({ id, seat, customer }) {
    let booking = this.#bookings.get(id)
    if (booking === undefined) {
      if (this.#holders.has(seat)) return 'taken'
      booking = { id, seat, customer, status: 'pending' }
      this.#bookings.set(id, booking)
      this.#holders.set(seat, id)
    }
    if (booking.seat !== seat || booking.customer !== customer) return 'different'
    if (booking.status === 'cancelled') return 'cancelled'
    clearTimeout(booking.patience)
    if (booking.position !== undefined) {
      booking.status = 'accepted'
      return 'accepted'
    }
    // Who asks again while the first answer is still to come gets the same one.
    booking.sending ??= this.#create(booking)
    return await booking.sending
  }

  /** @param {Booking} booking */
  async #create(booking) {
    booking.status = 'pending'
    try {
      const { partition, offset } = await this.#send(record('ReservationCreated', booking))
      booking.position ??= { partition, offset }
    } catch (error) {
      console.error(`${booking.id}: ${error.code ?? error.message}`)
    }
    booking.sending = undefined
    // A copy that was in the log earlier may have been cancelled by now.
    if (booking.status === 'cancelled') return 'cancelled'
    if (booking.position !== undefined) {
      booking.status = 'accepted'
      return 'accepted'
    }
    booking.status = 'in doubt'
    booking.patience = setTimeout(() => this.#giveUp(booking), this.#doubtMs)
    return 'unavailable'
  }

  /** @param {Booking} booking */
  async #giveUp(booking) {
    booking.status = 'cancelled'
    for (;;) {
      try {
        await this.#send(record('ReservationCancelled', booking))
        break
      } catch {
        await sleep(100)
      }
    }
    this.#release(booking)
  }

  #release({ seat, id }) {
    if (this.#holders.get(seat) === id) this.#holders.delete(seat)
  }

  /**
   * What the log says, in its order.
   *
   * @param {import('./events.js').Event} event
   * @param {{ partition: number, offset: number }} position
   */
  apply({ type, id, seat, customer }, { partition, offset }) {
    let booking = this.#bookings.get(id)
    if (booking === undefined) {
      booking = { id, seat, customer, status: 'accepted' }
      this.#bookings.set(id, booking)
    }
    if (type === 'ReservationCancelled') {
      clearTimeout(booking.patience)
      booking.status = 'cancelled'
      this.#release(booking)
    } else if (booking.status !== 'cancelled') {
      booking.position ??= { partition, offset }
      this.#holders.set(seat, id)
    }
  }
}
