import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './http.js'

const SECTIONS = 'ABCDEF'
/** So many seats a customer would take, one after the other. */
const WISHES = 4
/** For so long a customer tries to cancel. */
const PATIENCE_MS = 30_000

/** @param {number} number */
export function seatOf(number) {
  return `${SECTIONS[number % SECTIONS.length]}-${String(Math.floor(number / SECTIONS.length)).padStart(2, '0')}`
}

/**
 * Customers who want seats, more of them than there are seats, and keep account of what they were told. Each asks for
 * a seat until the answer is a yes or a no, and behind a no for another one; some have no patience and leave at the first
 * 503. Some cancel later.
 */
export class Crowd {
  /** Told yes, in this order. @type {{ id: string, seat: string, customer: string }[]} */
  accepted = []
  /** Told that the seat is taken. @type {Set<string>} */
  refused = new Set()
  /** Told 503, and gone. @type {Set<string>} */
  gone = new Set()
  /** Asked to cancel. @type {Set<string>} */
  cancelling = new Set()
  /** Cancelled, and told so. @type {Set<string>} */
  cancelled = new Set()
  /** Answers 503, and connections that broke. */
  unavailable = 0
  /** Of all answers, in ms. @type {number[]} */
  times = []
  #system
  #random

  /**
   * @param {import('./system.js').System} system
   * @param {() => number} random
   */
  constructor(system, random) {
    this.#system = system
    this.#random = random
  }

  /** @param {{ name: string, customers: number, seats: number, durationMs: number }} wave they come within this time */
  async come({ name, customers, seats, durationMs }) {
    const random = this.#random
    // All is drawn beforehand: who is answered first depends on the machine.
    const all = Array.from({ length: customers }, (_, number) => ({
      comesAt: random() * durationMs,
      wishes: Array.from({ length: WISHES }, (_, wish) => ({
        id: `${name}${number}-${wish}`,
        seat: seatOf(Math.floor(random() * seats)),
        customer: `${name}${number}`,
      })),
      impatient: random() < 0.4,
      cancelsAfter: random() < 0.6 ? random() * 400 : undefined,
    }))
    await Promise.all(all.map((customer) => this.#customer(customer)))
  }

  async #customer({ comesAt, wishes, impatient, cancelsAfter }) {
    const { signal } = this.#system
    await sleep(comesAt, undefined, { signal })
    for (const reservation of wishes) {
      const answer = await this.#reserve(reservation, impatient)
      if (answer === 409) continue
      if (answer !== 202 || cancelsAfter === undefined) return
      await sleep(cancelsAfter, undefined, { signal })
      await this.#cancel(reservation.id)
      return
    }
  }

  /** The last answer. */
  async #reserve({ id, seat, customer }, impatient) {
    for (;;) {
      const answer = await this.#ask('PUT', `${this.#system.bookingApi.address}/reservations/${id}`, { seat, customer })
      if (answer === 202) {
        this.accepted.push({ id, seat, customer })
        return answer
      }
      if (answer === 409) {
        this.refused.add(id)
        return answer
      }
      // 410: it was told 503, and came back too late.
      if (answer === 410 || impatient) {
        this.gone.add(id)
        return answer
      }
      await sleep(50, undefined, { signal: this.#system.signal })
    }
  }

  async #cancel(id) {
    this.cancelling.add(id)
    const begin = performance.now()
    // 404: the database does not have it yet.
    while ((await this.#ask('DELETE', `${this.#system.cancellationApi.address}/reservations/${id}`)) !== 200) {
      // It never will, then.
      if (performance.now() - begin > PATIENCE_MS) return
      await sleep(50, undefined, { signal: this.#system.signal })
    }
    this.cancelled.add(id)
  }

  /** The status code; 0 where no answer came. */
  async #ask(method, url, body) {
    this.#system.signal.throwIfAborted()
    const begin = performance.now()
    const { status } = await ask(method, url, body).catch(() => ({ status: 0 }))
    if (method === 'PUT') this.times.push(performance.now() - begin)
    if (status === 0 || status === 503) this.unavailable++
    if (![0, 200, 202, 404, 409, 410, 503].includes(status)) throw new Error(`${method} ${url} was answered ${status}`)
    return status
  }
}
