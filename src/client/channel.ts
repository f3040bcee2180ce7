import type { MyKafkaError } from '../errors.js'

/** A request, as far as its answer has to be told from others. */
export interface SentRequest {
  readonly key: number
  /** For messages. */
  readonly name: string
}

/** Takes requests as they come, and answers them in the same order: over a socket, or in this process. */
export interface Channel {
  /** Whether it is gone: closed here, by the broker or by a fault. */
  readonly closed: boolean
  /**
   * Sends a frame; resolves with what `decode` makes of the answer, without its length prefix. An abort ends the
   * waiting, not what the broker does.
   */
  request<T>(request: SentRequest, frame: Buffer, decode: (frame: Buffer) => T, signal?: AbortSignal): Promise<T>
  /** Rejects what is in flight with the reason, CONNECTION_CLOSED by default. Resolves when all is let go. */
  close(reason?: MyKafkaError): Promise<void>
}

/** What carries the frames of a channel. */
export interface Link {
  /** Frames that were asked for in one turn of the event loop, each with its length in front. */
  send(frames: readonly Buffer[]): void
  /** Whether the process is kept alive by it: it is while an answer is owed. */
  keepAlive(whether: boolean): void
  /** Nothing is received behind it. */
  destroy(): void
  /** Resolves when all is let go, behind `destroy`. */
  readonly gone: Promise<void>
}

/** Whom a link tells. */
export interface LinkEvents {
  /** A frame without its length. */
  received(frame: Buffer): void
  /** @param concernsOldest - whether it is the answer to the oldest request that is wrong */
  failed(error: MyKafkaError, concernsOldest: boolean): void
}
