import { isIPv4 } from 'node:net'
import type { Logger } from '../logger.js'
import { formatAddress, type Listener } from './listeners.js'

/** Whether only programs on this machine can come by this address. */
function isLoopback(host: string): boolean {
  const address = host.toLowerCase()
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}

/** Says who can reach the broker: whoever can may do everything. */
export function reportExposure(listeners: readonly Listener[], logger: Logger): void {
  const exposed = listeners.filter(({ host }) => !isLoopback(host)).map(formatAddress)
  if (exposed.length === 0) {
    logger.info({}, 'listens on loopback: only programs on this machine can connect')
    return
  }
  const warning = 'listens beyond loopback: there is no authentication, whoever can connect may read and delete all'
  logger.warn({ listeners: exposed.join(', ') }, warning)
}
