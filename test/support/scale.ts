/** What a test takes: less of it in `npm test`, more in `npm run test:full`. */
export function scaled<T>(quick: T, full: T): T {
  return process.env.MYKAFKA_TEST_FULL ? full : quick
}
