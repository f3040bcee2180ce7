import type { MyKafkaError } from '../errors.js'
import type { KafkaApi } from '../wire/kafka/kafka-api.js'
import { decodeResponse, encodeRequest } from '../wire/kafka/request-header.js'
import type { Channel, LinkEvents } from './channel.js'
import { ClientConnection } from './connection.js'
import { openSocket } from './open-socket.js'
import type { ResolvedClientOptions } from './options.js'
import { handled } from './retrying.js'
import { SocketLink } from './socket-link.js'
import type { CallOptions } from './transport.js'

/** `client.id` where nothing else is said. */
export const DEFAULT_CLIENT_ID = 'mykafka'
const CORRELATION_ID_BYTES = 4

/** A response is told by its correlation id. */
export const KAFKA_RESPONSES = {
  keyOf: (frame: Buffer): number => (frame.length < CORRELATION_ID_BYTES ? Number.NaN : frame.readInt32BE(0)),
  nameOf: (key: number): string => `request ${key}`,
}

/** A connection that speaks Kafka's wire: for what MyKafka's calls cannot say. */
export class KafkaConnection {
  readonly #channel: Channel
  readonly #clientId: string
  #correlationId = 0

  /** @throws MyKafkaError NETWORK_EXCEPTION, ABORTED */
  static async open(options: ResolvedClientOptions): Promise<KafkaConnection> {
    const socket = await openSocket(options)
    const link = (events: LinkEvents): SocketLink => new SocketLink(socket, events)
    return new KafkaConnection(new ClientConnection(link, options.requestTimeoutMs, KAFKA_RESPONSES))
  }

  constructor(channel: Channel, clientId = DEFAULT_CLIENT_ID) {
    this.#channel = channel
    this.#clientId = clientId
  }

  /** Whether the connection is gone: closed here, by the broker or by a fault. */
  get closed(): boolean {
    return this.#channel.closed
  }

  /** @throws MyKafkaError CONNECTION_CLOSED, REQUEST_TIMED_OUT, INVALID_RESPONSE, ABORTED */
  call<Req, Res>(api: KafkaApi<Req, Res>, version: number, request: Req, { signal }: CallOptions = {}): Promise<Res> {
    const key = ++this.#correlationId
    // A request holds no slices of files.
    const parts = encodeRequest(api, request, version, key, this.#clientId) as Buffer[]
    const decode = (frame: Buffer): Res => decodeResponse(api, frame, version).response
    return handled(this.#channel.request({ key, name: api.name }, Buffer.concat(parts), decode, signal))
  }

  /** Calls still unanswered are rejected with the reason, CONNECTION_CLOSED by default. */
  close(reason?: MyKafkaError): Promise<void> {
    return this.#channel.close(reason)
  }
}

/** Asks a broker, on a connection of its own. */
export async function askKafka<T>(
  options: ResolvedClientOptions,
  ask: (connection: KafkaConnection) => Promise<T>,
): Promise<T> {
  const connection = await KafkaConnection.open(options)
  try {
    return await ask(connection)
  } finally {
    await connection.close()
  }
}
