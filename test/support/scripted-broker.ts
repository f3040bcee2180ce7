import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a scripted broker does with the bytes of a connection. `received` is all that came so far. */
export type Script = (socket: Socket, received: Buffer) => void

/** A TCP server that answers recorded bytes; it ends with the test. Returns its port. */
export async function scriptedBroker(script: Script): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    let received: Buffer = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      script(socket, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}
