import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client, type ClientOptions } from '../../../src/client/index.js'
import { type Script, scriptedBroker } from '../../support/scripted-broker.js'
import { frameVector } from '../../support/vectors.js'

const COMMITTED = frameVector('COMMIT_OFFSET response')
const FETCHED = frameVector('FETCH response, two records')
const COMMIT_BYTES = 4 + 1 + 2 + 1 + 2 + 1 + 4 + 8

async function clientOf(script: Script, options: ClientOptions = {}): Promise<Client> {
  const client = await Client.connect({ port: await scriptedBroker(script), ...options })
  onTestFinished(() => client.close())
  return client
}

const commit = (client: Client, offset = 0): Promise<void> => client.commitOffset('g', 't', 0, offset)

/** How each of several calls ended: its code, or 'fulfilled'. */
async function codesOf(calls: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls)
  return settled.map((call) => (call.status === 'fulfilled' ? call.status : (call.reason as { code: string }).code))
}

describe('pipelined calls', () => {
  it('are all sent before the first answer, and answered in order', async () => {
    const count = 1000
    const answer = (i: number): Buffer => {
      const response = Buffer.from(frameVector('FETCH_OFFSET response 102'))
      response.writeBigInt64BE(BigInt(i), 6)
      return response
    }
    const request = 4 + 1 + 2 + 1 + 2 + 1 + 4
    const client = await clientOf((socket, received) => {
      if (received.length === count * request)
        socket.write(Buffer.concat(Array.from({ length: count }, (_, i) => answer(i))))
    })
    const order: number[] = []
    const calls = Array.from({ length: count }, async (_, i) => {
      expect(await client.fetchOffset('g', 't', i)).toBe(i)
      order.push(i)
    })
    await Promise.all(calls)
    expect(order).toEqual(Array.from({ length: count }, (_, i) => i))
  })

  it('are sent in order, small and large ones mixed', async () => {
    let bytes: Buffer = Buffer.alloc(0)
    const produced = frameVector('PRODUCE response partition 2, base offset 100, count 3')
    const value = Buffer.alloc(100_000, 1)
    const large = 4 + 1 + 2 + 1 + 8 + 8 + value.length
    const client = await clientOf((socket, received) => {
      bytes = received
      if (received.length === 2 * COMMIT_BYTES + large) socket.write(Buffer.concat([COMMITTED, produced, COMMITTED]))
    })
    await Promise.all([commit(client, 1), client.produce('t', [{ value }]), commit(client, 2)])
    expect([bytes[4], bytes[COMMIT_BYTES + 4], bytes[COMMIT_BYTES + large + 4]]).toEqual([3, 0, 3])
    expect(bytes.at(-1)).toBe(2)
  })

  it('are answered whatever way the bytes arrive', async () => {
    const answers = Buffer.concat([COMMITTED, FETCHED, COMMITTED])
    const trickle = async (socket: Socket): Promise<void> => {
      for (const byte of answers) {
        socket.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
    }
    let started: Promise<void> | undefined
    const client = await clientOf((socket) => {
      started ??= trickle(socket)
    })
    const [, records] = await Promise.all([commit(client), client.fetch('t', 0, 100), commit(client)])
    expect(records).toHaveLength(2)
    await started
  })
})

describe('a connection ends', () => {
  it('with close: what is in flight is rejected, and so is what comes later', async () => {
    const client = await clientOf(() => {})
    const calls = [commit(client), commit(client)]
    expect(client.closed).toBe(false)
    const closing = client.close()
    expect(client.closed).toBe(true)
    expect(await codesOf([...calls, commit(client)])).toEqual([
      'CONNECTION_CLOSED',
      'CONNECTION_CLOSED',
      'CONNECTION_CLOSED',
    ])
    await closing
    await client.close()
  })

  it('with the broker: answers that came before count', async () => {
    const client = await clientOf((socket) => socket.end(COMMITTED))
    expect(await codesOf([commit(client), commit(client)])).toEqual(['fulfilled', 'CONNECTION_CLOSED'])
    expect(client.closed).toBe(true)
  })

  it('with a reset, and the error says so', async () => {
    const client = await clientOf((socket) => socket.resetAndDestroy())
    await expect(commit(client)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED', errno: 'ECONNRESET' })
    await expect(commit(client)).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: expect.stringMatching('ECONNRESET'),
    })
  })

  it('with an answer to another call', async () => {
    const client = await clientOf((socket) => socket.write(FETCHED))
    const calls = [commit(client), commit(client)]
    await expect(calls[0]).rejects.toThrow('the broker answered FETCH where COMMIT_OFFSET was asked')
    expect(await codesOf(calls)).toEqual(['INVALID_RESPONSE', 'CONNECTION_CLOSED'])
    expect(client.closed).toBe(true)
  })

  it('with an answer to no call', async () => {
    const client = await clientOf((socket) => socket.write(Buffer.concat([COMMITTED, COMMITTED])))
    await commit(client)
    await expect(commit(client)).rejects.toThrow('answered COMMIT_OFFSET, which was not asked')
  })

  it('with an answer that does not parse', async () => {
    const client = await clientOf((socket) => socket.write(Buffer.from('000000030300ff', 'hex')))
    const calls = [commit(client), commit(client)]
    await expect(calls[0]).rejects.toThrow('COMMIT_OFFSET response: 1 bytes too many')
    expect(await codesOf(calls)).toEqual(['INVALID_RESPONSE', 'CONNECTION_CLOSED'])
  })

  it('with bytes that are no frame', async () => {
    const client = await clientOf((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await expect(commit(client)).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE', looksLike: 'http' })
    expect(client.closed).toBe(true)
  })

  it('with a request that is not answered in time', async () => {
    const client = await clientOf(() => {}, { requestTimeoutMs: 50 })
    expect(await codesOf([commit(client), commit(client)])).toEqual(['REQUEST_TIMED_OUT', 'CONNECTION_CLOSED'])
  })

  it('not while each request is answered in time', async () => {
    const client = await clientOf((socket) => setTimeout(() => socket.write(COMMITTED), 30), { requestTimeoutMs: 1000 })
    for (let i = 0; i < 5; i++) await commit(client)
    expect(client.closed).toBe(false)
  })

  it('without an unhandled rejection where nobody awaits', async () => {
    const seen: unknown[] = []
    const note = (reason: unknown): number => seen.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const client = await clientOf((socket) => socket.destroy())
    for (let i = 0; i < 3; i++) void commit(client)
    void client.produce('t', [])
    await client.close()
    void commit(client)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(seen).toEqual([])
  })
})

/** The port of a server whose queue of connections is full: a further one is not refused, it hangs. */
async function deafPort(): Promise<number> {
  const code = `
    const { createServer } = require('node:net')
    const { parentPort } = require('node:worker_threads')
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`
  const worker = new Worker(code, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  for (let i = 0; i < 4; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
  }
  return port
}

describe('connecting', () => {
  it('fails where nobody listens', async () => {
    const port = await scriptedBroker(() => {})
    await expect(Client.connect({ host: '127.0.0.2', port })).rejects.toMatchObject({
      code: 'NETWORK_EXCEPTION',
      errno: 'ECONNREFUSED',
      syscall: 'connect',
      message: `no connection to 127.0.0.2:${port}: ECONNREFUSED`,
    })
  })

  it('fails where it takes too long', async () => {
    const port = await deafPort()
    await expect(Client.connect({ port, connectTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'NETWORK_EXCEPTION',
      errno: 'ETIMEDOUT',
    })
  })

  it('ends with its signal', async () => {
    const port = await deafPort()
    const abort = new AbortController()
    const connecting = Client.connect({ port, signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 20)
    await expect(connecting).rejects.toMatchObject({ code: 'ABORTED', cause: new Error('enough') })
    await expect(Client.connect({ port, signal: abort.signal })).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('refuses options that cannot be', async () => {
    for (const options of [{ port: 0 }, { port: 65536 }, { requestTimeoutMs: 0 }, { connectTimeoutMs: 2 ** 31 }]) {
      await expect(Client.connect(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })
})
