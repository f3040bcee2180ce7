/** One suite over both ways onto the socket: real sockets, real segment files. */
import { truncateSync, unlinkSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ResponsePart } from '../../../src/server/response-part.js'
import { ResponseQueue, type ResponseQueueOptions } from '../../../src/server/response-queue.js'
import { SharedBudget } from '../../../src/server/shared-budget.js'
import { type ConnectedSockets, connectedSockets, readBytes } from '../../support/connected-sockets.js'
import { type CountedSlice, FilledSegment } from '../../support/filled-segment.js'
import { testRandom } from '../../support/random.js'

/** More than sockets hold. */
const MEGABYTES = 16
const WHOLE = MEGABYTES << 20

describe.each([{ zeroCopy: true }, { zeroCopy: false }])('with zeroCopy $zeroCopy', ({ zeroCopy }) => {
  let sockets: ConnectedSockets
  let file: FilledSegment

  beforeEach(async () => {
    sockets = await connectedSockets()
    file = await FilledSegment.make(MEGABYTES)
  })

  const queueOf = (options: Partial<ResponseQueueOptions> = {}) =>
    new ResponseQueue(sockets.server, {
      zeroCopy,
      stallTimeoutMs: 30_000,
      maxBytesHeld: 1 << 20,
      maxPending: 1000,
      ...options,
    })
  const closed = () => vi.waitFor(() => expect(sockets.server.closed).toBe(true), 5000)

  it('sends responses in the order of their slots, whatever order they come in', async () => {
    const queue = queueOf()
    const slots = Array.from({ length: 50 }, () => queue.reserve())
    const random = testRandom()
    const order = slots.map((slot, index) => ({ slot, index, place: random.next() })).sort((a, b) => a.place - b.place)
    for (const { slot, index } of order) {
      slot.fill([Buffer.from(`<${index}`), file.slice(index * 100, 50), Buffer.from('>')])
      if (index % 7 === 0) await turn()
    }
    queue.end()
    const expected = slots.map((_, index) => [
      Buffer.from(`<${index}`),
      file.bytes.subarray(index * 100, index * 100 + 50),
      Buffer.from('>'),
    ])
    expect((await readBytes(sockets.client)).equals(Buffer.concat(expected.flat()))).toBe(true)
  })

  it('sends buffers and slices of any size byte for byte', async () => {
    const random = testRandom()
    const queue = queueOf()
    const expected: Buffer[] = []
    const slices: CountedSlice[] = []
    for (let response = 0; response < 30; response++) {
      const parts: ResponsePart[] = []
      const count = random.integer(0, 5)
      for (let i = 0; i < count; i++) {
        const length = random.pick([0, 1, 30, 5000, 16384, 32767, 32768, 70_000, 2_500_000])
        const position = random.integer(0, WHOLE - length)
        if (random.next() < 0.5) {
          parts.push(Buffer.from(file.bytes.subarray(position, position + length)))
        } else {
          const slice = file.slice(position, length)
          slices.push(slice)
          parts.push(slice)
        }
        expected.push(file.bytes.subarray(position, position + length))
      }
      queue.reserve().fill(parts)
      if (response % 4 === 0) await turn()
    }
    queue.end()
    expect((await readBytes(sockets.client)).equals(Buffer.concat(expected))).toBe(true)
    expect(slices.every((slice) => slice.released === 1)).toBe(true)
    expect(queue.pending).toBe(0)
    expect(queue.bytesHeld).toBe(0)
  })

  it('sends the same to a peer that reads slowly', async () => {
    const queue = queueOf()
    queue.reserve().fill([Buffer.from('head'), file.slice(0, WHOLE), Buffer.from('tail')])
    const chunks: Buffer[] = []
    let got = 0
    while (got < WHOLE + 8) {
      await turn()
      const chunk = await readBytes(sockets.client, 1)
      await new Promise((resolve) => setTimeout(resolve, 1))
      chunks.push(chunk)
      got += chunk.length
    }
    const expected = [Buffer.from('head'), file.bytes.subarray(0, WHOLE), Buffer.from('tail')]
    expect(Buffer.concat(chunks).equals(Buffer.concat(expected))).toBe(true)
  })

  it('leaves out a slot that is dropped', async () => {
    const queue = queueOf()
    const [first, second, third] = [queue.reserve(), queue.reserve(), queue.reserve()]
    third.fill([Buffer.from('c')])
    second.drop()
    first.fill([Buffer.from('a')])
    queue.end()
    expect((await readBytes(sockets.client)).toString()).toBe('ac')
  })

  it('waits at the end for the responses that are owed', async () => {
    const queue = queueOf()
    const slot = queue.reserve()
    queue.end()
    queue.end()
    await turn()
    slot.fill([Buffer.from('late'), file.slice(0, WHOLE)])
    expect((await readBytes(sockets.client)).length).toBe(WHOLE + 4)
    expect(sockets.client.readableEnded).toBe(true)
  })

  it('answers a peer that has closed its sending side', async () => {
    const queue = queueOf()
    sockets.server.resume()
    sockets.client.end()
    await vi.waitFor(() => expect(sockets.server.readableEnded).toBe(true))
    queue.reserve().fill([file.slice(5, WHOLE - 5)])
    queue.end()
    expect((await readBytes(sockets.client)).equals(file.bytes.subarray(5, WHOLE))).toBe(true)
    await closed()
  })

  it('goes behind what the socket already holds', async () => {
    const queue = queueOf()
    const before = Buffer.alloc(8 << 20, 1)
    sockets.server.write(before)
    queue.reserve().fill([Buffer.from('behind'), file.slice(0, 100_000)])
    queue.end()
    const expected = Buffer.concat([before, Buffer.from('behind'), file.bytes.subarray(0, 100_000)])
    expect((await readBytes(sockets.client)).equals(expected)).toBe(true)
  })

  it('reads bytes that are not in memory without a gap', async () => {
    await file.makeCold()
    const queue = queueOf()
    for (const length of [1000, 100_000, WHOLE]) queue.reserve().fill([Buffer.from('#'), file.slice(0, length)])
    queue.end()
    const expected = [1000, 100_000, WHOLE].flatMap((length) => [Buffer.from('#'), file.bytes.subarray(0, length)])
    expect((await readBytes(sockets.client)).equals(Buffer.concat(expected))).toBe(true)
  })

  it('sends a file that is unlinked meanwhile', async () => {
    const queue = queueOf()
    queue.reserve().fill([file.slice(0, WHOLE)])
    queue.reserve().fill([file.slice(WHOLE - 100, 100)])
    await turn()
    // As retention does it.
    file.segment.close()
    unlinkSync(file.segment.logPath)
    const expected = Buffer.concat([file.bytes.subarray(0, WHOLE), file.bytes.subarray(WHOLE - 100, WHOLE)])
    expect((await readBytes(sockets.client, expected.length)).equals(expected)).toBe(true)
  })

  it('drops the connection where a file has lost its bytes', async () => {
    const queue = queueOf()
    const slices = [file.slice(0, WHOLE), file.slice(0, 10)]
    truncateSync(file.segment.logPath, WHOLE / 2)
    for (const slice of slices) queue.reserve().fill([slice])
    expect((await readBytes(sockets.client)).length).toBeLessThan(WHOLE)
    await closed()
    expect(slices.map((slice) => slice.released)).toEqual([1, 1])
  })

  it('lets go of everything when the connection is dropped in mid-response', async () => {
    const queue = queueOf()
    const slices = [file.slice(0, WHOLE), file.slice(0, 10), file.slice(20, 10)]
    queue.reserve().fill([slices[0] as CountedSlice])
    queue.reserve().fill([Buffer.alloc(1000), slices[1] as CountedSlice])
    const late = queue.reserve()
    await readBytes(sockets.client, 100_000)
    queue.destroy()
    expect(slices.map((slice) => slice.released)).toEqual([1, 1, 0])
    late.fill([slices[2] as CountedSlice])
    queue.reserve().fill([])
    expect(slices.map((slice) => slice.released)).toEqual([1, 1, 1])
    expect(queue.bytesHeld).toBe(0)
    expect(queue.pending).toBe(0)
    const left = await readBytes(sockets.client)
    expect(left.length).toBeLessThan(WHOLE)
    await closed()
  })

  it('lets go of everything when the peer resets the connection', async () => {
    const budget = new SharedBudget(1 << 30)
    const queue = queueOf({ budget })
    const slices = [file.slice(0, WHOLE), file.slice(0, 10)]
    for (const slice of slices) queue.reserve().fill([Buffer.alloc(100), slice])
    await readBytes(sockets.client, 100_000)
    sockets.client.resetAndDestroy()
    await closed()
    expect(slices.map((slice) => slice.released)).toEqual([1, 1])
    expect(budget.held).toBe(0)
  })

  it('drops a peer that takes nothing', async () => {
    const onStalled = vi.fn()
    const budget = new SharedBudget(1 << 30)
    const queue = queueOf({ stallTimeoutMs: 50, onStalled, budget })
    const slice = file.slice(0, WHOLE)
    queue.reserve().fill([slice])
    await closed()
    expect(onStalled).toHaveBeenCalledTimes(1)
    expect(slice.released).toBe(1)
    expect(budget.held).toBe(0)
  })

  it('keeps a peer that is idle with nothing owed', async () => {
    const onStalled = vi.fn()
    const queue = queueOf({ stallTimeoutMs: 250, onStalled })
    queue.reserve().fill([file.slice(0, WHOLE)])
    await readBytes(sockets.client, WHOLE)
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(onStalled).not.toHaveBeenCalled()
    queue.reserve().fill([Buffer.from('more')])
    expect((await readBytes(sockets.client, 4)).toString()).toBe('more')
  })

  it('is full while too many bytes are held, and tells when it is not', async () => {
    const onRelief = vi.fn()
    const queue = queueOf({ maxBytesHeld: 8 << 20, onRelief })
    queue.reserve().fill([Buffer.alloc(8 << 20, 1)])
    await turn()
    expect(queue.full).toBe(false)
    queue.reserve().fill([Buffer.alloc(8 << 20, 2)])
    expect(queue.full).toBe(true)
    expect(queue.bytesHeld).toBe(16 << 20)
    await readBytes(sockets.client, 16 << 20)
    await vi.waitFor(() => expect(onRelief).toHaveBeenCalled())
    expect(queue.full).toBe(false)
    await vi.waitFor(() => expect(queue.bytesHeld).toBe(0))
  })

  it('is full from a number of responses on, and tells when it is not', async () => {
    const onRelief = vi.fn()
    const queue = queueOf({ maxPending: 3, onRelief })
    const slots = [queue.reserve(), queue.reserve()]
    expect(queue.full).toBe(false)
    slots.push(queue.reserve())
    expect(queue.full).toBe(true)
    slots[0]?.fill([file.slice(0, 10)])
    await vi.waitFor(() => expect(onRelief).toHaveBeenCalledTimes(1))
    expect(queue.pending).toBe(2)
  })

  it('is full while the memory that connections share is exhausted, if it owes something', async () => {
    const budget = new SharedBudget(1000)
    const onRelief = vi.fn()
    const queue = queueOf({ budget, onRelief })
    budget.take(1000)
    expect(queue.full).toBe(false)
    const slot = queue.reserve()
    expect(queue.full).toBe(true)
    slot.fill([Buffer.from('answer')])
    await vi.waitFor(() => expect(onRelief).toHaveBeenCalledTimes(1))
    expect(queue.full).toBe(false)
    queue.reserve()
    expect(queue.full).toBe(true)
    budget.give(100)
    expect(queue.full).toBe(true)
    budget.give(900)
    expect(onRelief).toHaveBeenCalledTimes(2)
    expect(queue.full).toBe(false)
    queue.destroy()
    budget.take(1000)
    budget.give(1000)
    expect(onRelief).toHaveBeenCalledTimes(2)
  })

  it('is full while the files that connections share are used up', async () => {
    const files = new SharedBudget(2)
    const onRelief = vi.fn()
    const queue = queueOf({ files, onRelief })
    const [first, second] = [queue.reserve(), queue.reserve()]
    second?.fill([file.slice(0, 10), Buffer.from('between'), file.slice(10, 10)])
    expect(files.held).toBe(2)
    expect(queue.full).toBe(true)
    first?.fill([])
    await vi.waitFor(() => expect(onRelief).toHaveBeenCalled())
    expect(queue.full).toBe(false)
    expect(files.held).toBe(0)
  })

  it('is stuck where the response under way is that of before, and much is in memory', async () => {
    const queue = queueOf()
    expect(queue.isStuck()).toBe(false)
    queue.reserve().fill([file.bytes])
    queue.reserve().fill([Buffer.from('end')])
    await turn()
    expect([queue.isStuck(), queue.isStuck(), queue.isStuck()]).toEqual([false, true, true])
    await readBytes(sockets.client, WHOLE + 3)
    await vi.waitFor(() => expect(queue.pending).toBe(0))
    expect([queue.isStuck(), queue.isStuck()]).toEqual([false, false])
  })

  it('takes one answer for a slot', () => {
    const slot = queueOf().reserve()
    slot.fill([Buffer.from('once')])
    expect(() => slot.fill([Buffer.from('twice')])).toThrow('twice')
  })

  it('serves one peer while another reads nothing', async () => {
    const other = await connectedSockets()
    const stuck = queueOf()
    stuck.reserve().fill([file.slice(0, WHOLE)])
    await turn()
    const queue = new ResponseQueue(other.server, {
      zeroCopy,
      stallTimeoutMs: 30_000,
      maxBytesHeld: 1,
      maxPending: 1,
    })
    queue.reserve().fill([file.slice(7, WHOLE - 7)])
    expect((await readBytes(other.client, WHOLE - 7)).equals(file.bytes.subarray(7, WHOLE))).toBe(true)
    expect(stuck.pending).toBe(1)
    stuck.destroy()
  })
})
