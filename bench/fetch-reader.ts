/**
 * The reader of the fetch benchmark, in a process of its own: as cheap as Node allows, so that the server is what is
 * measured. Each connection asks for one range at a time; answers are read into one buffer and counted, not looked at.
 *
 * @module
 */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { encodeRequest } from '../src/wire/mykafka/fetch.js'

/** What to read, and how long. Every range is of `bytes`, whole records. */
export interface ReadTask {
  readonly port: number
  readonly connections: number
  readonly topic: string
  readonly bytes: number
  readonly recordBytes: number
  /** In the log. */
  readonly records: number
  readonly milliseconds: number
}

export interface ReadOutcome {
  readonly seconds: number
  readonly bytes: number
  /** Milliseconds from a request to the last byte of its answer. */
  readonly latencies: number[]
}

const HEAD_BYTES = 10
const READ_BUFFER = Buffer.allocUnsafeSlow(256 << 10)

async function readAll(task: ReadTask): Promise<ReadOutcome> {
  const perFetch = task.bytes / task.recordBytes
  const ranges = Math.floor(task.records / perFetch)
  const requests = Array.from({ length: ranges }, (_, i) => encodeRequest(task.topic, 0, i * perFetch, task.bytes))
  const latencies: number[] = []
  const begin = performance.now()
  const end = begin + task.milliseconds
  await Promise.all(
    Array.from({ length: task.connections }, (_, i) => {
      // The connections begin in different places, as consumers do.
      let next = Math.floor((i * ranges) / task.connections)
      return readOn(task, (now) => (now < end ? (requests[next++ % ranges] as Buffer) : null), latencies)
    }),
  )
  const seconds = (performance.now() - begin) / 1000
  return { seconds, bytes: latencies.length * task.bytes, latencies }
}

async function readOn(
  { port, bytes }: ReadTask,
  nextRequest: (now: number) => Buffer | null,
  latencies: number[],
): Promise<void> {
  let missing = 0
  let sentAt = 0
  const ask = (now: number): void => {
    const request = nextRequest(now)
    if (request === null) {
      socket.end()
      return
    }
    missing = HEAD_BYTES + bytes
    sentAt = now
    socket.write(request)
  }
  const socket: Socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (length) => {
        missing -= length
        if (missing < 0) throw new Error('an answer is longer than what was asked for')
        if (missing > 0) return true
        const now = performance.now()
        latencies.push(now - sentAt)
        ask(now)
        return true
      },
    },
  })
  await once(socket, 'connect')
  ask(performance.now())
  await once(socket, 'close')
  if (missing !== 0) throw new Error(`a connection was closed with ${missing} bytes missing`)
}

process.on('message', (task: ReadTask) => {
  void readAll(task).then((outcome) => process.send?.(outcome))
})
