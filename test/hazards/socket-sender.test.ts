/** What must not happen to a process whose sockets are sent to natively. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { ResponseQueue } from '../../src/server/response-queue.js'
import { connectedSockets, readBytes } from '../support/connected-sockets.js'
import { FilledSegment } from '../support/filled-segment.js'
import { scaled } from '../support/scale.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../support/sending-program.mjs', import.meta.url))
const openDescriptors = () => readdirSync('/proc/self/fd').length

describe.runIf(process.platform === 'linux')('sending natively', () => {
  it('leaves no descriptor behind, however a connection ends', async () => {
    const file = await FilledSegment.make(8)
    const whole = 8 << 20
    const round = async (index: number) => {
      const { server, client } = await connectedSockets()
      const queue = new ResponseQueue(server, {
        zeroCopy: true,
        stallTimeoutMs: index % 4 === 0 ? 10 : 30_000,
        maxBytesHeld: 1 << 20,
        maxPending: 100,
      })
      const slice = file.slice(0, whole)
      queue.reserve().fill([Buffer.from('head'), slice])
      if (index % 4 === 1) {
        queue.end()
        await readBytes(client)
        client.end()
        server.resume()
      } else if (index % 4 === 2) {
        await readBytes(client, 1000)
        client.resetAndDestroy()
      } else if (index % 4 === 3) {
        queue.destroy()
      }
      await vi.waitFor(() => expect(server.closed).toBe(true), { timeout: 5000, interval: 2 })
      expect(slice.released).toBe(1)
      client.destroy()
      if (!client.closed) await new Promise((resolve) => client.once('close', resolve))
    }
    for (let index = 0; index < 8; index++) await round(index)
    const before = openDescriptors()
    for (let index = 0; index < scaled(60, 200); index++) await round(index)
    expect(openDescriptors()).toBe(before)
  })

  it('survives workers that are terminated in mid-send', async () => {
    const before = openDescriptors()
    for (let i = 0; i < scaled(4, 10); i++) {
      const worker = new Worker(program)
      await new Promise((resolve) => worker.once('message', resolve))
      await worker.terminate()
    }
    // What stays open: the process's own send loop.
    await vi.waitFor(() => expect(openDescriptors()).toBeLessThanOrEqual(before + 2))
  })

  it('lets a process end in mid-send', async () => {
    await run(process.execPath, [program, 'exit'])
  })

  it('hands on what a callback throws, and still calls the next', async () => {
    const { stdout } = await run(process.execPath, [program, 'throw'])
    expect(stdout).toBe('first\nsecond\n')
  })

  it('survives a reset without a handler for SIGPIPE', async () => {
    await run(process.execPath, [program, 'reset'])
  })
})
