import { MyKafkaError } from '../errors.js'

/** Where a broker is. */
export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/
const DEFAULT_PORT = '9092'

/**
 * Reads `bootstrap.servers`: `host:port`, several of them in a list or parted by commas, an IPv6 address in brackets.
 *
 * @throws MyKafkaError INVALID_ARGUMENT
 */
export function bootstrapAddresses(brokers: string | readonly string[]): BrokerAddress[] {
  const texts = (typeof brokers === 'string' ? brokers.split(',') : brokers).map((text) => text.trim())
  if (texts.length === 0) throw new MyKafkaError('INVALID_ARGUMENT', 'brokers needs one address at least')
  return texts.map((text) => {
    const match = ADDRESS.exec(text)
    const port = Number(match?.[3] ?? DEFAULT_PORT)
    if (match !== null && port >= 1 && port <= 65535) return { host: (match[1] ?? match[2]) as string, port }
    throw new MyKafkaError('INVALID_ARGUMENT', `brokers: ${JSON.stringify(text)} is not HOST:PORT`)
  })
}
