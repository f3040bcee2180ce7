import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../support/seeded-random.js'
import { type Conversation, framed } from './corpus.js'
import { mutateConversation } from './mutations.js'

/** A stranger who is not let go waits no longer: a member that waits for others is answered by nobody. */
const PATIENCE_MS = 40
/** Whether bytes come as they are, and what else becomes of them. */
const MANNERS = ['together', 'together', 'frame by frame', 'in pieces', 'bytewise'] as const
const ENDINGS = ['end', 'end', 'destroy', 'reset', 'half'] as const

/** What clients of other protocols say, and what nobody says. */
const GREETINGS: readonly Buffer[] = [
  Buffer.from('16030102000100 01fc0303'.replaceAll(' ', ''), 'hex'),
  Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
  Buffer.alloc(64),
  Buffer.alloc(64, 0xff),
  Buffer.from('7fffffff0001000c', 'hex'),
  Buffer.from('06400000000000', 'hex'),
]

function* pieces(bytes: Buffer, random: Random, most: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const length = random.integer(1, most)
    yield bytes.subarray(at, at + length)
    at += length
  }
}

async function say(socket: Socket, frames: readonly Buffer[], random: Random): Promise<void> {
  const manner = random.pick(MANNERS)
  const all = Buffer.concat(frames)
  const parts: Iterable<Buffer> =
    manner === 'together'
      ? [all]
      : manner === 'frame by frame'
        ? frames
        : manner === 'in pieces'
          ? pieces(all, random, Math.max(16, all.length >> 3))
          : pieces(all.subarray(0, 400), random, 2)
  for (const part of parts) {
    if (socket.destroyed) return
    socket.write(part)
    if (manner !== 'together') await new Promise(setImmediate)
  }
}

/** Comes, says what it has to say, and goes in one way or another. */
export async function visit(port: number, frames: readonly Buffer[], random: Random): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const connected = new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true)))
  const came = await Promise.race([connected, closed.then(() => false)])
  if (!came) return
  if (random.next() < 0.9) socket.resume()
  await say(socket, frames, random)
  const ending = random.pick(ENDINGS)
  if (ending === 'reset') socket.resetAndDestroy()
  else if (ending === 'destroy') socket.destroy()
  else if (ending === 'half') socket.write(Buffer.from('000fffff0000', 'hex'))
  else socket.end()
  socket.on('end', () => socket.end())
  await Promise.race([closed, delay(PATIENCE_MS, undefined, { ref: false })])
  socket.destroy()
  await closed
}

/** What one visit brings. */
export function whatToSay(conversations: readonly Conversation[], random: Random): Buffer[] {
  const kind = random.next()
  if (kind < 0.05) return [random.pick(GREETINGS)]
  if (kind < 0.1) return [random.bytes(random.integer(1, 2000))]
  if (kind < 0.15) return [framed(random.bytes(random.integer(1, 2000)))]
  return mutateConversation(random.pick(conversations), random, random.integer(1, 20))
}
