/**
 * The peer of the batch benchmark: the least that a Node server does for a request. It reads a frame, keeps nothing of
 * it and answers with as many bytes as a PRODUCE response has.
 *
 * @module
 */

import { type AddressInfo, createServer } from 'node:net'

const RESPONSE = Buffer.alloc(22)
const PREFIX_BYTES = 4

const server = createServer({ noDelay: true }, (socket) => {
  let missing = 0
  socket.on('data', (chunk) => {
    // One request is under way at a time, so that a chunk begins a frame or belongs to the one before.
    if (missing === 0) missing = PREFIX_BYTES + chunk.readInt32BE(0)
    missing -= chunk.length
    if (missing === 0) socket.write(RESPONSE)
  })
  socket.on('error', () => {})
})
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  console.log(`listening on 127.0.0.1:${(server.address() as AddressInfo).port}`)
})
