/** A number of rounds, records or the like: the smaller one in `npm test`, the larger in `npm run test:full`. */
export function scaled(quick: number, full: number): number {
  return process.env.MYKAFKA_TEST_FULL ? full : quick
}
