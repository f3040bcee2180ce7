/** What the broker says that it serves, asked by hand. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { sharedBroker } from './support/broker.js'
import type { ServedApi } from './support/results.js'

const API_VERSIONS = 18

/** ApiVersions 0: length, api key, version, correlation id and a null client id. */
function request(): Buffer {
  const bytes = Buffer.alloc(14)
  bytes.writeInt32BE(10, 0)
  bytes.writeInt16BE(API_VERSIONS, 4)
  bytes.writeInt32BE(7, 8)
  bytes.writeInt16BE(-1, 12)
  return bytes
}

async function answer(port: number): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request())
  let received = Buffer.alloc(0)
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer])
    if (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) break
  }
  return received
}

it('answers the versions of every API that it serves', async ({ task }) => {
  const bytes = await answer((await sharedBroker()).port)
  expect(bytes.readInt32BE(4)).toBe(7)
  expect(bytes.readInt16BE(8)).toBe(0)
  const apis: ServedApi[] = Array.from({ length: bytes.readInt32BE(10) }, (_, index) => {
    const at = 14 + index * 6
    return { key: bytes.readInt16BE(at), min: bytes.readInt16BE(at + 2), max: bytes.readInt16BE(at + 4) }
  })
  expect(bytes.length).toBe(14 + apis.length * 6)
  expect(apis).toContainEqual(expect.objectContaining({ key: API_VERSIONS, min: 0 }))
  task.meta.apis = apis.sort((a, b) => a.key - b.key)
})
