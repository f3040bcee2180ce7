import { expect } from 'vitest'
import { isLostConnection } from '../../support/ledger.js'

/** How a call ends whose broker is killed; anything else is a failure. */
export function expectLost(error: unknown): void {
  const isRefused = (error as { code?: string }).code === 'ECONNREFUSED'
  const isEnded = String(error).includes('the connection ended')
  expect(isLostConnection(error) || isRefused || isEnded, String(error)).toBe(true)
}

/**
 * Keeps requests under way until the broker is gone, which may be before there is a connection.
 *
 * @param inFlight - so many at a time
 * @param request - makes one, and takes its answer
 */
export async function requestUntilLost<T>(
  inFlight: number,
  connect: () => Promise<T>,
  request: (connection: T) => Promise<void>,
): Promise<void> {
  let connection: T
  try {
    connection = await connect()
  } catch (error) {
    expectLost(error)
    return
  }
  let lost = false
  const underWay: Promise<void>[] = []
  while (!lost) {
    const settled = request(connection).catch((error: unknown) => {
      lost = true
      expectLost(error)
    })
    underWay.push(settled)
    if (underWay.length >= inFlight) await underWay.shift()
  }
  await Promise.all(underWay)
}
