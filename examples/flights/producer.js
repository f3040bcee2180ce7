import { withClient } from './connect.js'

/** So many PRODUCEs are under way at a time. */
const IN_FLIGHT = 200

/**
 * Produces flights in their order, each keyed by its origin, and keeps account of what became of them.
 *
 * At least once: a PRODUCE that was not answered before the connection was lost is sent again. The first may have
 * been written all the same; then the flight is in the log twice.
 */
export class Producer {
  /** By flight: where it went. @type {{ partition: number, offset: number }[]} */
  acknowledged = []
  /** By flight: how often it was sent. @type {number[]} */
  sent = []
  finished = false

  /**
   * @param {{ host: string, port: number }} address
   * @param {string} topic
   * @param {import('./flights.js').Flight[]} flights
   * @param {AbortSignal} signal
   */
  async run(address, topic, flights, signal) {
    await withClient(address, signal, async (client) => {
      // Everything behind the last acknowledged one goes out again, in order: so the order of a key holds.
      let next = this.acknowledged.length
      const underWay = []
      while (this.acknowledged.length < flights.length) {
        while (next < flights.length && underWay.length < IN_FLIGHT) {
          const flight = flights[next]
          this.sent[next] = (this.sent[next] ?? 0) + 1
          // Without a partition: the broker chooses it by the key.
          underWay.push(client.produce(topic, [{ key: flight.origin, value: JSON.stringify(flight) }]))
          next++
        }
        // Answers come in the order of the calls.
        const { partition, baseOffset } = await underWay.shift()
        this.acknowledged.push({ partition, offset: baseOffset })
      }
    })
    this.finished = true
  }
}
