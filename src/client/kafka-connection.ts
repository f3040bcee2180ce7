import type { KafkaApi } from '../wire/kafka/kafka-api.js'
import { decodeResponse, encodeRequest } from '../wire/kafka/request-header.js'
import { openSocket } from './connect.js'
import { ClientConnection } from './connection.js'
import type { ResolvedClientOptions } from './options.js'

const CLIENT_ID = 'mykafka'
const CORRELATION_ID_BYTES = 4

/** A response is told by its correlation id. */
const RESPONSES = {
  keyOf: (frame: Buffer): number => (frame.length < CORRELATION_ID_BYTES ? Number.NaN : frame.readInt32BE(0)),
  nameOf: (key: number): string => `request ${key}`,
}

/** A connection that speaks Kafka's wire: for what MyKafka's calls cannot say. */
export class KafkaConnection {
  readonly #connection: ClientConnection
  #correlationId = 0

  /** @throws MyKafkaError NETWORK_EXCEPTION, ABORTED */
  static async open(options: ResolvedClientOptions): Promise<KafkaConnection> {
    const socket = await openSocket(options)
    return new KafkaConnection(new ClientConnection(socket, options.requestTimeoutMs, RESPONSES))
  }

  private constructor(connection: ClientConnection) {
    this.#connection = connection
  }

  /** @throws MyKafkaError CONNECTION_CLOSED, REQUEST_TIMED_OUT, INVALID_RESPONSE */
  call<Req, Res>(api: KafkaApi<Req, Res>, version: number, request: Req): Promise<Res> {
    const key = ++this.#correlationId
    // A request holds no slices of files.
    const parts = encodeRequest(api, request, version, key, CLIENT_ID) as Buffer[]
    const decode = (frame: Buffer): Res => decodeResponse(api, frame, version).response
    return this.#connection.request({ key, name: api.name }, Buffer.concat(parts), decode)
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

/** Asks the broker one thing, on a connection of its own. */
export async function askKafka<Req, Res>(
  options: ResolvedClientOptions,
  api: KafkaApi<Req, Res>,
  version: number,
  request: Req,
): Promise<Res> {
  const connection = await KafkaConnection.open(options)
  try {
    return await connection.call(api, version, request)
  } finally {
    await connection.close()
  }
}
