/** Native objects used wrongly: what comes is an exception, and the process lives. */
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { native } from '../../src/native/load.js'
import type {
  NativeCleaner,
  NativeCleanWriter,
  NativeSegment,
  NativeSegmentOptions,
  NativeSocketSender,
} from '../../src/native/native.js'
import { connectedSockets } from '../support/connected-sockets.js'
import { packed } from '../support/frames.js'
import { type Random, testRandom } from '../support/random.js'
import { temporaryDirectory } from '../support/temporary.js'

type Callable = (...args: unknown[]) => unknown

/** Of the segment, and of others that may come to be. */
let options: NativeSegmentOptions
let others: NativeSegmentOptions
let segment: NativeSegment
let sender: NativeSocketSender
let cleaner: NativeCleaner
let writer: NativeCleanWriter
const record = packed([{ key: 'key', value: 'value' }])

beforeEach(async () => {
  const directory = await temporaryDirectory()
  options = { directory, baseOffset: 10, indexIntervalBytes: 0, indexMaxBytes: 1024 }
  others = { ...options, directory: await temporaryDirectory() }
  segment = native.createSegment(options)
  segment.append([record, record], [1, 1], [1, 2], 10)
  const { server } = await connectedSockets()
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  sender = native.createSocketSender(fd, 1000)
  cleaner = native.createCleaner({ recordFormat: 'mykafka', bufferBytes: 4096, loadFactor: 0.5, runBytes: 0 })
  const times = { nowMs: 0, deleteHorizonMs: 0 }
  writer = await cleaner.openWriter({ ...others, endOffset: 12, ...times, keepEmpty: new Float64Array() })
})

/** The error of a call, thrown or rejected; undefined where there was none. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}

async function expectIntact(): Promise<void> {
  const out = new Float64Array(5)
  expect(await segment.findRangeAsync(10, 1000, 12, out)).toBe(0)
  expect(Array.from(out)).toEqual([0, 2 * (28 + 8), 10, 11, 2])
}

const methodsOf = (object: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
    .map(([name]) => name)

describe('native objects', () => {
  it('refuse to write an answer into memory that was given away meanwhile', async () => {
    const out = new Float64Array(5)
    const finding = errorOf(() => segment.findRangeAsync(10, 1000, 12, out))
    structuredClone(out.buffer, { transfer: [out.buffer] })
    expect(await finding).toBeInstanceOf(TypeError)
    await expectIntact()
  })

  it('cannot be made by hand', () => {
    for (const object of [segment, sender, cleaner, writer]) {
      const make = object.constructor as new (...args: unknown[]) => object
      class Derived extends make {}
      for (const args of [[], [{}], [segment], [1, 2]]) {
        expect(() => new make(...args)).toThrow(TypeError)
        expect(() => new Derived(...args)).toThrow(TypeError)
      }
      expect(() => (make as unknown as Callable)()).toThrow(TypeError)
    }
  })

  it('do not take each other’s methods', () => {
    for (const [object, others] of [
      [segment, [sender, {}, null, undefined, 1, Object.create(segment)]],
      [sender, [segment, {}, null, undefined, 1, Object.create(sender)]],
      [cleaner, [writer, segment, {}, null, undefined, 1, Object.create(cleaner)]],
      [writer, [cleaner, segment, {}, null, undefined, 1, Object.create(writer)]],
    ] as const) {
      for (const name of methodsOf(object)) {
        const method = (object as unknown as Record<string, Callable>)[name] as Callable
        for (const other of others) expect(() => method.call(other, 0, 0, 0, 0), name).toThrow(TypeError)
      }
    }
  })

  it('have no accessors, which would not know whose they are', () => {
    for (const object of [segment, sender, cleaner, writer]) {
      const described = Object.values(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)))
      expect(described.filter(({ get, set }) => get !== undefined || set !== undefined)).toEqual([])
    }
    expect(segment).toMatchObject({ baseOffset: 10, logPath: `${options.directory}/00000000000000000010.log` })
    expect(() => Object.assign(segment, { baseOffset: 11 })).toThrow(TypeError)
  })

  it('refuse to be used when they are closed, and may be closed twice', async () => {
    segment.pin()
    segment.close()
    segment.close()
    sender.close()
    sender.close()
    const out = new Float64Array(5)
    for (const call of [
      () => segment.append([record], [1], [1], 12),
      () => segment.appendAsync([record], [1], [1], 12),
      () => segment.findRange(10, 1, 12, out),
      () => segment.findRangeAsync(10, 1, 12, out),
      () => segment.sync(),
      () => segment.seal(),
      () => segment.truncateTo(11),
      () => segment.verify(),
    ]) {
      expect(await errorOf(call), String(call)).toMatchObject({ code: expect.any(String) })
    }
    // What is pinned is still readable.
    const bytes = Buffer.alloc(8)
    expect(segment.read(bytes, 0)).toBe(true)
    expect(bytes.readBigInt64BE()).toBe(10n)
    segment.unpin()
    expect(await errorOf(() => segment.readAsync(bytes, 0))).toMatchObject({ code: expect.any(String) })
    expect(() => segment.unpin()).toThrow('unpin without a pin')
    expect(segment.damages()).toEqual([])
    expect(segment.nextOffset()).toBe(12)
  })

  it('take bytes that have gone elsewhere for none', async () => {
    const gone = (length: number): Uint8Array => {
      const bytes = new Uint8Array(length)
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
      return bytes
    }
    expect(await errorOf(() => segment.append([gone(16)], [1], [1], 12))).toMatchObject({ code: 'INVALID_RECORD' })
    expect(native.crc32(gone(16))).toBe(0)
    expect(segment.read(gone(16), 0)).toBe(true)
    expect(await errorOf(() => segment.findRange(10, 1, 12, new Float64Array(gone(40).buffer)))).toBeInstanceOf(
      TypeError,
    )
    await expectIntact()
  })

  it('append nothing of a batch that is wrong', async () => {
    const wrong: [Uint8Array[], number[], number[], number][] = [
      [[record], [2], [1], 12],
      [[record, record.subarray(1)], [1, 1], [1, 1], 12],
      [[record.subarray(0, 5)], [1], [1], 12],
      [[new Uint8Array(0)], [1], [1], 12],
      [[record], [1], [1], 11],
      [[record], [1], [1], 13],
      [[record], [1, 1], [1], 12],
      [[record], [0], [1], 12],
      [[record], [1], [2 ** 53], 12],
    ]
    for (const args of wrong) {
      expect(await errorOf(() => segment.append(...args))).toBeInstanceOf(Error)
      expect(await errorOf(() => segment.appendAsync(...args))).toBeInstanceOf(Error)
    }
    expect(segment.append([], [], [], 12)).toBe(true)
    expect(segment.size()).toBe(72)
    await expectIntact()
  })
})

describe('any arguments', () => {
  function anything(random: Random): unknown {
    return random.pick<() => unknown>([
      () => undefined,
      () => null,
      () => random.pick([0, 1, -1, 0.5, 10, 12, -0, NaN, Infinity, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63)]),
      () => random.pick([1n, -1n, 2n ** 64n]),
      () => random.pick(['', join(others.directory, 'x'), '\0', options.directory, '/']),
      () => random.pick([true, false, Symbol('s')]),
      () => random.pick([[], [Buffer.from(record)], [1], [1, 2], [null], [segment], new Array(3)]),
      () => random.pick([Buffer.alloc(0), Buffer.from(record), new Uint8Array(new SharedArrayBuffer(64))]),
      () =>
        random.pick([new Float64Array(5), new Float64Array(4), new Uint16Array(8), new DataView(new ArrayBuffer(8))]),
      () =>
        random.pick([
          ...[{}, others, { ...others, baseOffset: -1 }, { segment, position: 0, length: 5 }, segment, sender],
          ...[cleaner, writer, { recordFormat: 'kafka', bufferBytes: 1024, loadFactor: 1, runBytes: 9 }],
        ]),
      () => random.pick([() => {}, class {}, new Proxy({}, {}), new Proxy([], {}), Promise.resolve(), /x/, new Date()]),
    ])()
  }

  // What of them succeeds has done no harm.
  const harmful = ['close', 'truncateTo', 'seal', 'append', 'appendAsync', 'pin', 'unpin', 'setErrorFactory']

  it.each([
    ['the addon', () => native],
    ['a segment', () => segment],
    ['a socket sender', () => sender],
    ['a cleaner', () => cleaner],
    ['the writer of a cleaner', () => writer],
  ] as const)('of %s are taken or refused', async (_, get) => {
    const random = testRandom()
    const object = get() as unknown as Record<string, Callable>
    const names = object === (native as unknown) ? Object.keys(object) : methodsOf(object)
    const functions = names.filter((name) => typeof object[name] === 'function' && !harmful.includes(name))
    for (const name of functions) {
      for (let round = 0; round < 200; round++) {
        const args = Array.from({ length: random.integer(0, 5) }, () => anything(random))
        const error = await errorOf(() => object[name]?.(...args))
        if (error !== undefined) expect(error, name).toBeInstanceOf(Error)
      }
    }
    native.setOpenFileLimit(64)
    await expectIntact()
  })

  it('that are wrong leave a segment as it is', async () => {
    const random = testRandom()
    for (const name of ['append', 'appendAsync', 'truncateTo', 'setErrorFactory']) {
      const object = (name in native ? native : segment) as unknown as Record<string, Callable>
      for (let round = 0; round < 200; round++) {
        const args = Array.from({ length: random.integer(0, 3) }, () => anything(random))
        // An offset to truncate to that is right, and a function that makes no errors.
        if (name === 'truncateTo' && typeof args[0] === 'number') continue
        if (name === 'setErrorFactory' && typeof args[0] === 'function') continue
        expect(await errorOf(() => object[name]?.(...args)), name).toBeInstanceOf(Error)
      }
    }
    await expectIntact()
  })
})
