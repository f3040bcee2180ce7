import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach } from 'vitest'

const made: Socket[] = []

export interface ConnectedSockets {
  /** Accepted as the broker accepts. */
  server: Socket
  client: Socket
}

/** A TCP connection over loopback, closed behind the test. The client reads nothing yet. */
export async function connectedSockets(): Promise<ConnectedSockets> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const accepted = once(listener, 'connection')
  const client = connect({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  client.pause()
  const [server] = (await accepted) as [Socket]
  listener.close()
  made.push(server, client)
  for (const socket of [server, client]) socket.on('error', () => {})
  return { server, client }
}

/** Reads so many bytes, or up to the end of the stream. */
export async function readBytes(socket: Socket, length = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = []
  let got = 0
  const ended = once(socket, 'close').then(() => null)
  while (got < length && !socket.readableEnded) {
    const chunk = socket.read() as Buffer | null
    if (chunk !== null) {
      chunks.push(chunk)
      got += chunk.length
    } else if (socket.destroyed) {
      break
    } else {
      await Promise.race([once(socket, 'readable'), once(socket, 'end'), ended])
    }
  }
  return Buffer.concat(chunks)
}

afterEach(() => {
  for (const socket of made.splice(0)) socket.destroy()
})
