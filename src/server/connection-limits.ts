import { isIP } from 'node:net'
import { MyKafkaError } from '../errors.js'
import { listParts } from '../topic/config-definition.js'

/** An IPv4 address as a socket of both families shows it. */
const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** How many connections there may be. */
export interface ConnectionLimitOptions {
  /** `max.connections` */
  readonly most: number
  /** `max.connections.per.ip` */
  readonly mostPerAddress: number
  /** `max.connections.per.ip.overrides`, as text. */
  readonly overrides: string
}

/** Why a connection is not taken: the setting that says so, and its value. */
export interface Refusal {
  readonly setting: string
  readonly limit: number
}

/** Counts connections, in all and of each address. */
export class ConnectionLimits {
  readonly #options: ConnectionLimitOptions
  readonly #overrides: ReadonlyMap<string, number>
  readonly #perAddress = new Map<string, number>()
  #count = 0

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
    this.#overrides = readOverrides(options.overrides)
  }

  /** Counts one more, where it may come. */
  admit(address: string): Refusal | null {
    const { most, mostPerAddress } = this.#options
    if (this.#count >= most) return { setting: 'max.connections', limit: most }
    const plain = plainAddress(address)
    const limit = this.#overrides.get(plain) ?? mostPerAddress
    const here = this.#perAddress.get(plain) ?? 0
    if (here >= limit) return { setting: 'max.connections.per.ip', limit }
    this.#perAddress.set(plain, here + 1)
    this.#count++
    return null
  }

  /** One that was admitted is gone. */
  release(address: string): void {
    const plain = plainAddress(address)
    const left = (this.#perAddress.get(plain) ?? 0) - 1
    if (left > 0) this.#perAddress.set(plain, left)
    else this.#perAddress.delete(plain)
    this.#count--
  }
}

function plainAddress(address: string): string {
  return address.replace(MAPPED_IPV4, '').toLowerCase()
}

/**
 * Reads a list of `ADDRESS:COUNT`.
 *
 * @throws MyKafkaError INVALID_CONFIG
 */
export function readOverrides(text: string): Map<string, number> {
  return new Map(
    listParts(text).map((part) => {
      const colon = part.lastIndexOf(':')
      const address = part.slice(0, Math.max(colon, 0)).replace(/^\[(.*)\]$/, '$1')
      const count = part.slice(colon + 1)
      if (isIP(address) !== 0 && /^\d{1,9}$/.test(count)) return [plainAddress(address), Number(count)]
      const name = 'max.connections.per.ip.overrides'
      throw new MyKafkaError('INVALID_CONFIG', `${name} must be a list of ADDRESS:COUNT, not ${part}`)
    }),
  )
}
