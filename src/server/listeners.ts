import { MyKafkaError } from '../errors.js'

/** An address to listen on, or one that clients are told. */
export interface Listener {
  /** As in Kafka's `listeners`; default PLAINTEXT. Each listener has a name of its own. */
  readonly name?: string
  readonly host: string
  /** To listen on: 0 picks a free one. */
  readonly port: number
}

/** Where a client that came by one of the broker's listeners finds the broker again. */
export interface AdvertisedListener {
  readonly name: string
  readonly host: string
  readonly port: number
}

export const DEFAULT_LISTENER_NAME = 'PLAINTEXT'

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])
/** An IPv4 address as a socket of both families shows it. */
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** `host:port`, with IPv6 in brackets. */
export function formatAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/**
 * Refuses listeners that cannot be.
 *
 * @throws MyKafkaError INVALID_CONFIG
 */
export function checkListeners(listeners: readonly Listener[], advertised: readonly Listener[]): void {
  const names = namesOf('listeners', listeners)
  for (const name of namesOf('advertised.listeners', advertised)) {
    if (names.has(name)) continue
    throw new MyKafkaError('INVALID_CONFIG', `advertised.listeners: ${name} is not one of listeners`)
  }
  for (const listener of advertised) {
    if (!ANY_ADDRESS.has(listener.host) && listener.port > 0) continue
    const address = formatAddress(listener)
    throw new MyKafkaError('INVALID_CONFIG', `advertised.listeners: clients cannot connect to ${address}`)
  }
}

function namesOf(setting: string, listeners: readonly Listener[]): Set<string> {
  const names = new Set<string>()
  for (const { name = DEFAULT_LISTENER_NAME, port } of listeners) {
    if (!Number.isInteger(port) || port < 0 || port > 65535) {
      throw new MyKafkaError('INVALID_CONFIG', `port must be an integer from 0 to 65535, not ${port}`)
    }
    if (names.has(name)) {
      throw new MyKafkaError(
        'INVALID_CONFIG',
        `${setting}: each listener needs a name of its own, ${name} is there twice`,
      )
    }
    names.add(name)
  }
  return names
}

/**
 * What clients of a listener are told: what the configuration says; else the address that is listened on; else, where
 * that is any address of this machine, the one that the client came to.
 *
 * @param reached - the local address of the client's connection
 */
export function advertise(
  listener: AdvertisedListener,
  advertised: readonly Listener[],
  reached: string | undefined,
): AdvertisedListener {
  const said = advertised.find(({ name = DEFAULT_LISTENER_NAME }) => name === listener.name)
  if (said !== undefined) return { name: listener.name, host: said.host, port: said.port }
  if (!ANY_ADDRESS.has(listener.host) || reached === undefined) return listener
  return { ...listener, host: MAPPED_IPV4.exec(reached)?.[1] ?? reached }
}
