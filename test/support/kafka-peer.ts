import type { KafkaApi } from '../../src/wire/kafka/kafka-api.js'
import type { MessagePart } from '../../src/wire/kafka/kafka-writer.js'
import { decodeResponse, encodeRequest } from '../../src/wire/kafka/request-header.js'
import { Peer } from './peer.js'

const CLIENT_ID = 'test'

/**
 * A Kafka client that says what a test wants said, by the codecs, which test/unit/wire/kafka holds against the Java
 * client's bytes. It sends nothing of its own accord.
 */
export class KafkaPeer {
  readonly peer: Peer
  #correlationId = 0

  static async connect(port: number): Promise<KafkaPeer> {
    return new KafkaPeer(await Peer.connect(port))
  }

  private constructor(peer: Peer) {
    this.peer = peer
  }

  /** Sends a request and reads its response; several may be under way. */
  async call<Req, Res>(api: KafkaApi<Req, Res>, version: number, request: Req): Promise<Res> {
    const correlationId = this.send(api, version, request)
    const frame = await this.peer.frame()
    const answer = decodeResponse(api, frame.subarray(4), version)
    if (answer.correlationId !== correlationId) throw new Error(`${answer.correlationId} is not ${correlationId}`)
    return answer.response
  }

  /** Sends a request that may have no response. Returns its correlation id. */
  send<Req, Res>(api: KafkaApi<Req, Res>, version: number, request: Req): number {
    const correlationId = ++this.#correlationId
    this.peer.send(requestFrame(api, version, request, correlationId))
    return correlationId
  }
}

/** A whole request, its length in front. */
export function requestFrame<Req, Res>(
  api: KafkaApi<Req, Res>,
  version: number,
  request: Req,
  correlationId = 1,
  clientId = CLIENT_ID,
): Buffer {
  return Buffer.concat(encodeRequest(api, request, version, correlationId, clientId).map(bytesOf))
}

function bytesOf(part: MessagePart): Buffer {
  if (part instanceof Uint8Array) return part
  throw new Error('a request holds no slices of files')
}
