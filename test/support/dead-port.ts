import { createServer } from 'node:net'

/** Below the ports that the system gives to whoever wants any: nobody takes one of these meanwhile. */
const FIRST = 20_000
const COUNT = 12_000

/** A port of 127.0.0.1 on which nobody listens. */
export async function deadPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (free) return port
  }
}
