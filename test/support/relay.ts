import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { behindEachTest } from './clean-up.js'

/** An address that stays while the broker behind it goes and comes with another port. It ends with the test. */
export interface Relay {
  readonly port: number
  /** Connections from now on go there; those that there are stay as they are. */
  to(port: number): void
  /** Breaks the connections that there are. */
  cut(): void
}

const open = new Set<() => Promise<void>>()

behindEachTest(async () => {
  for (const close of open) await close()
  open.clear()
})

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
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  open.add(async () => {
    cut()
    await new Promise((resolve) => server.close(resolve))
  })
  const to = (port: number): void => {
    target = port
  }
  return { port: (server.address() as AddressInfo).port, to, cut }
}
