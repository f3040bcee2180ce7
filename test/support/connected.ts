/** A client over sockets and one over an engine in this process: what is tested holds for both. */
import { type ConnectOptions, connect, type Kafka, openTransport } from '../../src/client/connect.js'
import type { Transport } from '../../src/client/transport.js'
import type { BrokerOptions } from '../../src/server/broker.js'
import { startBroker } from './broker.js'
import { behindEachTest } from './clean-up.js'
import { temporaryDirectory } from './temporary.js'

/** What a client is connected to. */
export type ConnectionKind = 'brokers' | 'dataDir'

/** For `describe.each`. */
export const CONNECTION_KINDS: readonly ConnectionKind[] = ['brokers', 'dataDir']

/** What the tests set apart from the kind. */
export type SharedOptions = Omit<ConnectOptions, 'brokers' | 'dataDir' | 'broker'>

const open = new Set<{ close(): Promise<void> }>()

// Registered behind the brokers: clients are closed before them.
behindEachTest(async () => {
  const clients = [...open]
  open.clear()
  // A test that wants to know how a close ends calls it itself.
  await Promise.allSettled(clients.map((client) => client.close()))
})

/** Closes it behind the test. */
export function closedBehind<T extends { close(): Promise<void> }>(client: T): T {
  open.add(client)
  return client
}

/** Options that connect to a broker of this test, or to an engine in a directory of this test. */
export async function connectOptions(kind: ConnectionKind, broker: BrokerOptions = {}): Promise<ConnectOptions> {
  if (kind === 'brokers') return { brokers: (await startBroker(broker)).broker.bootstrapServers }
  const { dataDir, logger: _, ...settings } = broker
  return { dataDir: dataDir ?? (await temporaryDirectory()), broker: { fsync: 'never', ...settings } }
}

/** A client of the kind, with a broker or an engine of its own; closed behind the test. */
export async function connected(
  kind: ConnectionKind,
  options: SharedOptions = {},
  broker: BrokerOptions = {},
): Promise<Kafka> {
  return closedBehind(connect({ ...(await connectOptions(kind, broker)), ...options } as ConnectOptions))
}

/** The transport alone. */
export async function openedTransport(
  kind: ConnectionKind,
  options: SharedOptions = {},
  broker: BrokerOptions = {},
): Promise<Transport> {
  return closedBehind(openTransport({ ...(await connectOptions(kind, broker)), ...options } as ConnectOptions))
}
