import type { Socket } from 'node:net'

/** What Node does not declare of a socket. */
interface SocketInternals {
  readonly _handle?: { readonly fd?: number } | null
  /** Set on a TLS socket, whose descriptor takes ciphertext only. */
  readonly encrypted?: boolean
}

/** The descriptor of a plain socket that is open, or -1. It may be another's as soon as the socket is closed. */
export function descriptorOf(socket: Socket): number {
  const { _handle, encrypted } = socket as unknown as SocketInternals
  return encrypted === true ? -1 : (_handle?.fd ?? -1)
}
