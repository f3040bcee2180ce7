/**
 * The peer of the fetch benchmark: what a Node server does without a native part. It reads the range from the file
 * with fs.read into a fresh buffer, behind the head of the response, and hands that to socket.write. The records of
 * the file are of one length, so that it needs no index.
 *
 * @module
 */

import { openSync, read } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { FrameDecoder } from '../src/wire/frame-decoder.js'
import { decodeRequest } from '../src/wire/mykafka/fetch.js'

const HEAD_BYTES = 10
const FETCH = 1

const [path, recordBytes] = [process.argv[2] as string, Number(process.argv[3])]
const file = openSync(path, 'r')

const server = createServer({ noDelay: true }, (socket) => {
  const decoder = new FrameDecoder()
  socket.on('data', (chunk) => {
    decoder.push(chunk)
    for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
      const { offset, maxBytes } = decodeRequest(frame)
      const response = Buffer.allocUnsafe(HEAD_BYTES + maxBytes)
      response.writeInt32BE(response.length - 4, 0)
      response[4] = FETCH
      response[5] = 0
      response.writeInt32BE(maxBytes / recordBytes, 6)
      read(file, response, HEAD_BYTES, maxBytes, offset * recordBytes, (error) => {
        if (error === null) socket.write(response)
        else socket.destroy(error)
      })
    }
  })
  socket.on('error', () => {})
})
server.listen({ host: '127.0.0.1', port: 0, backlog: 511 }, () => {
  console.log(`listening on 127.0.0.1:${(server.address() as AddressInfo).port}`)
})
