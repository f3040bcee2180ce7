import type { AdvertisedListener } from './listeners.js'
import type { ResponsePart } from './response-part.js'

/** Whose requests they are. */
export interface RequestPeer {
  /** The client's address, without the port. */
  readonly host: string
  /** By which of the broker's addresses it came. */
  readonly listener: AdvertisedListener
  /** Aborts when nobody waits for answers any more: the peer has ended, or the broker stops. */
  readonly signal: AbortSignal
  /** Bytes of answers that it has not taken yet and that are in memory. */
  responseBytes?(): number
}

/** Null: the request has no response. */
export type RoutedResponse = ResponsePart[] | null

/** Answers the requests of one wire. */
export interface RequestRouter {
  /**
   * Answers one frame (without its length prefix), at once where it can.
   *
   * @throws (or rejects) where the connection cannot go on behind it; the message says why
   */
  route(frame: Buffer, peer: RequestPeer): RoutedResponse | Promise<RoutedResponse>
  /** The kind of the requests that bring records. */
  readonly produceKind: number
  /** The kind of the requests that read from the disk. */
  readonly fetchKind: number
  /** Requests of one kind run side by side; one of another kind waits for those before it. */
  kindOf(frame: Buffer): number
}
