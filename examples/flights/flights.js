import { readFile } from 'node:fs/promises'

/**
 * @typedef {object} Flight
 * @property {number} flight its place in the data set, from 0 on
 * @property {string} date
 * @property {number} delay minutes; below 0: early
 * @property {number} distance miles
 * @property {string} origin
 * @property {string} destination
 */

export const TOPIC = 'flights'
export const PARTITIONS = 6

/**
 * The flights of 2001 that the package vega-datasets ships.
 *
 * @returns {Promise<Flight[]>}
 */
export async function loadFlights() {
  const file = new URL('../data/flights-20k.json', import.meta.resolve('vega-datasets'))
  const flights = JSON.parse(await readFile(file, 'utf8'))
  return flights.map((flight, number) => ({ flight: number, ...flight }))
}
