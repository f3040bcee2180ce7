import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Admin } from '../../../src/client/admin/admin.js'
import { openTransport } from '../../../src/client/connect.js'
import { scriptedBroker } from '../../support/scripted-broker.js'

/** Answers to CreatePartitions 3 of the topic `t`, by the letter of Kafka's message. */
function answer(correlationId: number, errorCode: number, message: string | null): Buffer {
  const text = Buffer.from(message ?? '')
  const body = Buffer.concat([
    Buffer.from([0, 0, 0, correlationId, 0]),
    Buffer.from([0, 0, 0, 0, 2, 2]),
    Buffer.from('t'),
    Buffer.from([0, errorCode, message === null ? 0 : text.length + 1]),
    text,
    Buffer.from([0, 0]),
  ])
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length)
  return Buffer.concat([length, body])
}

interface Settings {
  readonly retries?: number
  readonly requestTimeoutMs?: number
}

async function adminOf(
  respond: (socket: Socket, received: Buffer) => void,
  { retries = 0, requestTimeoutMs = 30_000 }: Settings = {},
): Promise<Admin> {
  const port = await scriptedBroker(respond)
  const transport = openTransport({ brokers: `127.0.0.1:${port}`, requestTimeoutMs, retryBackoffMs: 1 })
  onTestFinished(() => transport.close())
  return new Admin(transport, { retries })
}

it('says what it wants in the bytes of Kafka, and is content with no error', async () => {
  const sent: Buffer[] = []
  const respond = (socket: Socket, received: Buffer): void => {
    sent[0] = received
    socket.write(answer(1, 0, null))
  }
  const admin = await adminOf(respond, { requestTimeoutMs: 1000 })
  await admin.createPartitions('t', 8)
  // CreatePartitions is 37, version 3; topic t, count 8, no assignments; 1000 ms; not only to look.
  const header = ['00000021', '0025', '0003', '00000001', '0007', Buffer.from('mykafka').toString('hex'), '00']
  const topics = ['02', '0274', '00000008', '00', '00']
  expect(sent[0]?.toString('hex')).toBe([...header, ...topics, '000003e8', '00', '00'].join(''))
})

it('fails with the reason of the broker, or with what the code says', async () => {
  const told = await adminOf((socket) => socket.write(answer(1, 37, 'it has 9')))
  await expect(told.createPartitions('t', 8)).rejects.toMatchObject({ code: 'INVALID_PARTITIONS', message: 'it has 9' })
  const bare = await adminOf((socket) => socket.write(answer(1, 3, null)))
  await expect(bare.createPartitions('t', 8)).rejects.toMatchObject({
    code: 'UNKNOWN_TOPIC_OR_PARTITION',
    message: expect.stringMatching(/^CreatePartitions of t: /),
  })
})

it.each([
  ['an answer to something else', answer(7, 0, null), 'INVALID_RESPONSE'],
  ['an answer that is too short', Buffer.from([0, 0, 0, 2, 0, 1]), 'INVALID_RESPONSE'],
  ['no frame', Buffer.from('HTTP/1.1 400'), 'FRAME_TOO_LARGE'],
])('%s is an error', async (_, bytes, code) => {
  const admin = await adminOf((socket) => socket.write(bytes))
  await expect(admin.createPartitions('t', 8)).rejects.toMatchObject({ code })
})

it('a broker that goes away', async () => {
  const gone = await adminOf((socket) => socket.destroy())
  await expect(gone.createPartitions('t', 8)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
})

it('a broker that does not answer', async () => {
  // So long it may take to connect as well.
  const silent = await adminOf(() => {}, { requestTimeoutMs: 500 })
  await expect(silent.createPartitions('t', 8)).rejects.toMatchObject({
    code: 'REQUEST_TIMED_OUT',
    message: expect.stringContaining('CreatePartitions'),
  })
})

it('asks again where the connection went away or the error is one that passes, not where it stays', async () => {
  const NOT_CONTROLLER = 41
  const UNKNOWN_TOPIC_OR_PARTITION = 3
  const turns: ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.write(answer(1, NOT_CONTROLLER, null)),
    (socket) => socket.write(answer(2, 0, null)),
    (socket) => socket.write(answer(3, UNKNOWN_TOPIC_OR_PARTITION, null)),
  ]
  const admin = await adminOf((socket) => turns.shift()?.(socket), { retries: 5 })
  await admin.createPartitions('t', 8)
  await expect(admin.createPartitions('t', 8)).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
  expect(turns).toEqual([])
})

it('leaves nothing at a signal that lives longer than the call', async () => {
  let calls = 0
  const admin = await adminOf((socket) => socket.write(answer(++calls, 0, null)))
  const { signal } = new AbortController()
  for (let i = 0; i < 3; i++) await admin.createPartitions('t', 8, { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
  // Where Node.js keeps the signals that AbortSignal.any made of it.
  const dependants = Object.getOwnPropertySymbols(signal).filter(
    ({ description }) => description === 'kDependantSignals',
  )
  expect(dependants.map((symbol) => Reflect.get(signal, symbol)?.size ?? 0)).not.toContain(3)
})
