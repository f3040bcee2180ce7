import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** An address that stays while the broker behind it goes and comes with another port. It ends with the test. */
export interface Relay {
  readonly port: number
  /** Connections from now on go there; those that there are stay as they are. */
  to(port: number): void
}

export async function relay(): Promise<Relay> {
  const sockets = new Set<Socket>()
  let target: number | null = null
  const join = (one: Socket, other: Socket): void => {
    sockets.add(one)
    one.on('error', () => {})
    one.on('close', () => {
      sockets.delete(one)
      other.destroy()
    })
    one.pipe(other)
  }
  const server = createServer({ noDelay: true }, (socket) => {
    if (target === null) {
      socket.destroy()
      return
    }
    const onward = connect({ port: target, host: '127.0.0.1', noDelay: true })
    join(socket, onward)
    join(onward, socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const to = (port: number): void => {
    target = port
  }
  return { port: (server.address() as AddressInfo).port, to }
}
