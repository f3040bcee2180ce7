import { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import { resolveOptions } from '../../../../src/client/options.js'

/** What one who makes load works with. It works until a call fails, and is then begun again. */
export interface Load {
  readonly port: number
  readonly seed: number
  /** It got something done. */
  did(): void
}

export const REQUEST_TIMEOUT_MS = 5000

/** A connection of Kafka's wire for `use`. */
export async function withKafka({ port }: Load, use: (kafka: KafkaConnection) => Promise<void>): Promise<void> {
  const kafka = await KafkaConnection.open(resolveOptions({ port, requestTimeoutMs: REQUEST_TIMEOUT_MS }))
  try {
    await use(kafka)
  } finally {
    await kafka.close()
  }
}
