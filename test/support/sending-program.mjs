// Sends natively to itself, in a worker or a process of its own, and is cut off in the middle.
// Plain JavaScript: it runs without a loader.
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'

const require = createRequire(import.meta.url)
const addon = require('../../scripts/addon.cjs')
const native = require('bindings')({
  bindings: 'mykafka',
  module_root: addon.root,
  try: addon.candidates().map((path) => ['module_root', join(...path)]),
})
const mode = process.argv[2]

if (mode === 'reset') {
  // Node ignores SIGPIPE; having had a listener, the process has the system's default again.
  const ignore = () => {}
  process.on('SIGPIPE', ignore)
  process.off('SIGPIPE', ignore)
}

function throwTwice(socket) {
  process.on('uncaughtException', (error) => {
    console.log(error.message)
    if (error.message === 'second') process.exit(0)
  })
  for (const name of ['first', 'second']) {
    const sender = native.createSocketSender(socket._handle.fd, 30_000)
    sender.send([Buffer.alloc(64 << 20)], () => {
      throw new Error(name)
    })
    sender.close()
  }
}

const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  socket.on('error', () => {})
  if (mode === 'throw') {
    throwTwice(socket)
    return
  }
  const sender = native.createSocketSender(socket._handle.fd, 30_000)
  const atOnce = sender.send([Buffer.alloc(64 << 20, 7)], (outcome) => {
    process.exit(outcome === 'reset' && mode === 'reset' ? 0 : 1)
  })
  if (atOnce) process.exit(1)
  parentPort?.postMessage('sending')
  if (mode === 'exit') process.exit(0)
})
listener.listen(0, '127.0.0.1', () => {
  const client = connect(listener.address().port, '127.0.0.1')
  client.on('error', () => {})
  client.once('data', () => {
    if (mode === 'reset') client.resetAndDestroy()
    else client.pause()
  })
})
