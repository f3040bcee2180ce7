import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Admin } from '../client/admin/admin.js'
import type { Client } from '../client/client.js'
import type { Kafka } from '../client/connect.js'

/** Where a broker is. */
export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/

/** Reads `host:port`; an IPv6 address stands in brackets. */
export function parseAddress(text: string): BrokerAddress {
  const match = ADDRESS.exec(text)
  const port = Number(match?.[3])
  if (match === null || port < 1 || port > 65535) {
    throw new InvalidArgumentError('It must be HOST:PORT, such as 127.0.0.1:9092.')
  }
  return { host: (match[1] ?? match[2]) as string, port }
}

function formatAddress({ host, port }: BrokerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Adds `--bootstrap-server`, as Kafka's tools call it. */
export function withBootstrapServer(command: Command): Command {
  const address: BrokerAddress = { host: '127.0.0.1', port: 9092 }
  const option = new Option('--bootstrap-server <host:port>', 'the broker')
  return command.addOption(option.argParser(parseAddress).default(address, '127.0.0.1:9092'))
}

/** Connects, works, and closes in any case. */
export async function withClient<T>(address: BrokerAddress, work: (client: Client) => Promise<T>): Promise<T> {
  const { Client } = await import('../client/client.js')
  return await using(await Client.connect(address), work)
}

/**
 * The same with all of the SDK.
 *
 * @param look - is called before, with a connection: who types a command is told at once what fails, and a broker that is
 *   not there would be sought for
 */
export async function withKafka<T>(
  address: BrokerAddress,
  work: (kafka: Kafka) => Promise<T>,
  look: (client: Client) => Promise<unknown> = async () => {},
): Promise<T> {
  await withClient(address, look)
  const { connect } = await import('../client/connect.js')
  return await using(connect({ brokers: [formatAddress(address)] }), work)
}

/** The same with an {@link Admin}: nothing is tried again. */
export async function withAdmin<T>(address: BrokerAddress, work: (admin: Admin) => Promise<T>): Promise<T> {
  return await withKafka(address, (kafka) => work(kafka.admin({ retries: 0 })))
}

async function using<C extends { close(): Promise<void> }, T>(client: C, work: (client: C) => Promise<T>): Promise<T> {
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}
