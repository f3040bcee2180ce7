import { MyKafkaError } from '../errors.js'
import { listParts } from '../topic/config-definition.js'
import type { Listener } from './listeners.js'

const LISTENER = /^([A-Za-z0-9_-]+):\/\/(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/
/** What the names of Kafka's protocols mean where no map says otherwise. */
const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL']
const ANY_ADDRESS = '0.0.0.0'

/** The settings that say where to listen, as text. */
export interface ListenerProperties {
  readonly listeners?: string | undefined
  readonly advertised?: string | undefined
  readonly protocolMap?: string | undefined
  readonly controllers?: string | undefined
}

/**
 * Reads a list of `NAME://HOST:PORT`. As in Kafka, no host means any address of this machine.
 *
 * @throws MyKafkaError INVALID_CONFIG
 */
export function parseListeners(setting: string, text: string): Required<Listener>[] {
  return listParts(text).map((part) => {
    const [, name, ipv6, host, port] = LISTENER.exec(part) ?? []
    if (name === undefined) {
      throw new MyKafkaError('INVALID_CONFIG', `${setting} must be a list of NAME://HOST:PORT, not ${part}`)
    }
    return { name: name.toUpperCase(), host: ipv6 || host || ANY_ADDRESS, port: Number(port) }
  })
}

/**
 * What to listen on, and what clients are told. Listeners of controllers are left out.
 *
 * @throws MyKafkaError INVALID_CONFIG for one that would have to speak anything but PLAINTEXT
 */
export function readListeners({ listeners, advertised, protocolMap, controllers }: ListenerProperties): {
  listeners?: Listener[]
  advertisedListeners?: Listener[]
} {
  const forControllers = new Set(listParts(controllers ?? '').map((name) => name.toUpperCase()))
  const forClients = (list: Required<Listener>[]): Required<Listener>[] =>
    list.filter(({ name }) => !forControllers.has(name))
  const protocols = readProtocolMap(protocolMap)
  const read: ReturnType<typeof readListeners> = {}
  if (listeners !== undefined) {
    read.listeners = forClients(parseListeners('listeners', listeners))
    if (read.listeners.length === 0) throw new MyKafkaError('INVALID_CONFIG', 'listeners: there is none for clients')
    for (const { name } of read.listeners) requirePlaintext(name as string, protocols)
  }
  if (advertised !== undefined) {
    read.advertisedListeners = forClients(parseListeners('advertised.listeners', advertised))
  }
  return read
}

function readProtocolMap(text: string | undefined): Map<string, string> {
  if (text === undefined) return new Map(PROTOCOLS.map((name) => [name, name]))
  return new Map(
    listParts(text).map((part) => {
      const [name, protocol, ...rest] = part.split(':')
      if (name && protocol && rest.length === 0) return [name.toUpperCase(), protocol.toUpperCase()]
      throw new MyKafkaError(
        'INVALID_CONFIG',
        `listener.security.protocol.map must be a list of NAME:PROTOCOL, not ${part}`,
      )
    }),
  )
}

function requirePlaintext(name: string, protocols: Map<string, string>): void {
  const protocol = protocols.get(name)
  if (protocol === 'PLAINTEXT') return
  const reason =
    protocol === undefined
      ? `listener.security.protocol.map does not say what ${name} speaks`
      : `${name} would speak ${protocol}: only PLAINTEXT is served`
  throw new MyKafkaError('INVALID_CONFIG', `listeners: ${reason}`)
}
