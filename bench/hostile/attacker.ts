/**
 * Peers that do what an attack does, or traffic that is as heavy: `attacker PORT ATTACK hostile|valid`. Says `begun`
 * behind the first turn, and goes on until it is killed.
 */
import { connect, type Socket } from 'node:net'
import { ATTACKS, type Traffic } from './attacks.js'

const TICK_MS = 5
/** A peer that the broker does not read from is not given more than this. */
const MOST_QUEUED = 4 << 20

class Peers {
  readonly #port: number
  readonly #traffic: Traffic
  readonly #sockets: (Socket | null)[]
  #turn = 0

  constructor(port: number, traffic: Traffic) {
    this.#port = port
    this.#traffic = traffic
    this.#sockets = Array.from({ length: traffic.connections }, () => null)
  }

  /** One of them has its turn. */
  next(): void {
    const { bytes, behind } = this.#traffic
    const at = this.#turn % this.#sockets.length
    const socket = this.#sockets[at] ?? this.#open(at)
    this.#sockets[at] = socket
    const turn = this.#turn++
    if (socket.writableLength > MOST_QUEUED) return
    socket.write(bytes(turn))
    if (behind !== 'close') return
    socket.end()
    this.#sockets[at] = null
  }

  #open(at: number): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, allowHalfOpen: false })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#sockets[at] === socket) this.#sockets[at] = null
    })
    if (this.#traffic.reads) socket.resume()
    else socket.pause()
    return socket
  }
}

const [port, name, kind] = process.argv.slice(2) as [string, string, 'hostile' | 'valid']
const traffic = (ATTACKS[name] as () => { hostile: Traffic; valid: Traffic })()[kind]
const peers = new Peers(Number(port), traffic)
const begin = performance.now()
let done = 0
setInterval(() => {
  // What was missed while the machine was busy is not made up for all at once.
  const due = Math.floor(((performance.now() - begin) / 1000) * traffic.perSecond)
  const now = Math.min(due - done, Math.ceil(traffic.perSecond / 10))
  done = due
  for (let i = 0; i < now; i++) peers.next()
}, TICK_MS)
process.send?.('begun')
