import { MyKafkaError } from '../errors.js'
import { FrameDecoder } from '../wire/frame-decoder.js'
import type { KafkaApi } from '../wire/kafka/kafka-api.js'
import { decodeResponse, encodeRequest } from '../wire/kafka/request-header.js'
import { openSocket } from './connect.js'
import { MAX_RESPONSE_BYTES } from './connection.js'
import type { ResolvedClientOptions } from './options.js'

const CLIENT_ID = 'mykafka'

/**
 * Asks the broker one thing over Kafka's wire, on a connection of its own: what MyKafka's calls cannot say.
 *
 * @throws MyKafkaError NETWORK_EXCEPTION, CONNECTION_CLOSED, REQUEST_TIMED_OUT, INVALID_RESPONSE
 */
export async function askKafka<Req, Res>(
  options: ResolvedClientOptions,
  api: KafkaApi<Req, Res>,
  version: number,
  request: Req,
): Promise<Res> {
  const frames = new FrameDecoder(MAX_RESPONSE_BYTES)
  const socket = await openSocket(options)
  try {
    const answer = new Promise<Buffer>((resolve, reject) => {
      const closed = (why: string): void =>
        reject(new MyKafkaError('CONNECTION_CLOSED', `the connection is closed: ${why}`))
      socket.on('data', (chunk) => {
        frames.push(chunk)
        try {
          const frame = frames.next()
          if (frame !== null) resolve(frame)
        } catch (error) {
          reject(error)
        }
      })
      socket.on('error', (error) => closed(error.message))
      socket.on('close', () => closed('the broker closed it'))
      socket.setTimeout(options.requestTimeoutMs, () => {
        const what = `${api.name} was not answered in ${options.requestTimeoutMs} ms`
        reject(new MyKafkaError('REQUEST_TIMED_OUT', what))
      })
    })
    for (const part of encodeRequest(api, request, version, 0, CLIENT_ID)) socket.write(part as Uint8Array)
    return decodeResponse(api, await answer, version).response
  } finally {
    socket.destroy()
  }
}
