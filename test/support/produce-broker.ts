/**
 * A broker that a test plays: it tells how many partitions a topic has, shows what PRODUCEs come, and answers them as it
 * is told. Frames are read by the letter of docs/protocol.md.
 */
import type { Socket } from 'node:net'
import { expect } from 'vitest'
import { CALL, described, produced } from './frames.js'
import { scriptedBroker } from './scripted-broker.js'

/** A PRODUCE that came. */
export interface Produced {
  readonly topic: string
  readonly partition: number
  /** `key=value` each; a null field is `null`. */
  readonly records: readonly string[]
  readonly bytes: Buffer
  /** With where they went. */
  accept(baseOffset: number): void
  refuse(errorCode: number): void
  /** The connection breaks instead. */
  drop(): void
}

export interface ProduceBroker {
  readonly port: number
  /** Every PRODUCE so far. */
  readonly received: Produced[]
  /** How often METADATA was asked for. */
  readonly asked: () => number
  /** The n-th PRODUCE from 1 on, when it is there. */
  nth(n: number): Promise<Produced>
  /** From now on every PRODUCE is accepted as it comes. */
  acceptAll(): void
  /** And from now on none. */
  hold(): void
}

/** Answers of one connection, which leave in the order of the requests. */
class Answers {
  readonly #socket: Socket
  readonly #answers: (Buffer | null)[] = []
  #expected = 0
  #sent = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** A request came: the function answers it. */
  expect(): (answer: Buffer) => void {
    const index = this.#expected++
    this.#answers.push(null)
    return (answer) => {
      this.#answers[index - this.#sent] = answer
      while (this.#answers.length > 0 && this.#answers[0] !== null) {
        this.#socket.write(this.#answers.shift() as Buffer)
        this.#sent++
      }
    }
  }
}

/** @param partitionsOf - of a topic; null where there is none */
export async function produceBroker(partitionsOf: (topic: string) => number | null = () => 1): Promise<ProduceBroker> {
  const received: Produced[] = []
  const connections = new WeakMap<Socket, { readTo: number; readonly answers: Answers }>()
  let asked = 0
  let accepting = false
  const port = await scriptedBroker((socket, bytes) => {
    const connection = connections.get(socket) ?? { readTo: 0, answers: new Answers(socket) }
    connections.set(socket, connection)
    for (;;) {
      const at = connection.readTo
      if (bytes.length - at < 4 || bytes.length - at < 4 + bytes.readInt32BE(at)) return
      const frame = bytes.subarray(at, at + 4 + bytes.readInt32BE(at))
      connection.readTo += frame.length
      const topic = frame.toString('utf8', 7, 7 + frame.readInt16BE(5))
      const answer = connection.answers.expect()
      if (frame[4] === CALL.metadata) {
        asked++
        const partitions = Array.from({ length: partitionsOf(topic) ?? 0 }, (): [number, number] => [0, 0])
        answer(partitions.length === 0 ? described(3, {}) : described(0, { [topic]: partitions }))
      } else {
        const request = readProduce(socket, frame, topic, answer)
        received.push(request)
        if (accepting) request.accept(0)
      }
    }
  })
  const nth = async (n: number): Promise<Produced> => {
    await expect.poll(() => received.length, { interval: 1 }).toBeGreaterThanOrEqual(n)
    return received[n - 1] as Produced
  }
  const acceptAll = (): void => {
    accepting = true
  }
  const hold = (): void => {
    accepting = false
  }
  return { port, received, asked: () => asked, nth, acceptAll, hold }
}

function readProduce(socket: Socket, frame: Buffer, topic: string, answer: (response: Buffer) => void): Produced {
  let at = 7 + topic.length
  const partition = frame.readInt32BE(at)
  const count = frame.readInt32BE(at + 4)
  at += 8
  const field = (): string | null => {
    const length = frame.readInt32BE(at)
    at += 4 + Math.max(length, 0)
    return length < 0 ? null : frame.toString('utf8', at - length, at)
  }
  const records = Array.from({ length: count }, () => `${field()}=${field()}`)
  if (at !== frame.length) throw new Error(`the PRODUCE has ${frame.length - at} bytes behind its records`)
  return {
    topic,
    partition,
    records,
    bytes: Buffer.from(frame),
    accept: (baseOffset) => answer(produced(0, partition, baseOffset, count)),
    refuse: (errorCode) => answer(produced(errorCode, partition, -1, 0)),
    drop: () => void socket.destroy(),
  }
}
