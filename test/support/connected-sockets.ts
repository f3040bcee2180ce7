import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { behindEachTest } from './clean-up.js'

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

/** Reads so many bytes at least, or up to the end of the stream. */
export function readBytes(socket: Socket, length = Number.POSITIVE_INFINITY): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let got = 0
    const events = ['readable', 'end', 'close']
    const take = () => {
      while (got < length) {
        const chunk = socket.read() as Buffer | null
        if (chunk === null) break
        chunks.push(chunk)
        got += chunk.length
      }
      if (got < length && !socket.readableEnded && !socket.destroyed) return
      for (const event of events) socket.off(event, take)
      resolve(Buffer.concat(chunks))
    }
    for (const event of events) socket.on(event, take)
    take()
  })
}

behindEachTest(() => {
  for (const socket of made.splice(0)) socket.destroy()
})
