import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectOptions, openTransport } from '../../../../src/client/connect.js'
import type { ProducerOptions } from '../../../../src/client/producer/options.js'
import { Producer } from '../../../../src/client/producer/producer.js'
import { ERROR } from '../../../support/frames.js'
import { type ProduceBroker, produceBroker } from '../../../support/produce-broker.js'

interface Played {
  readonly broker: ProduceBroker
  readonly producer: Producer
}

interface Setting {
  readonly partitions?: number | ((topic: string) => number | null)
  readonly connection?: Pick<ConnectOptions, 'requestTimeoutMs'>
}

const LONG = 60_000

async function play(options: ProducerOptions = {}, { partitions = 1, connection = {} }: Setting = {}): Promise<Played> {
  const broker = await produceBroker(typeof partitions === 'number' ? () => partitions : partitions)
  const backoff = { retryBackoffMs: 1, retryBackoffMaxMs: 4, reconnectBackoffMs: 1, reconnectBackoffMaxMs: 4 }
  const transport = openTransport({ brokers: `127.0.0.1:${broker.port}`, ...backoff, ...connection })
  const producer = new Producer(transport, options)
  onTestFinished(async () => {
    await producer.close({ timeoutMs: 0 })
    await transport.close()
  })
  return { broker, producer }
}

const valuesOf = (records: readonly string[]): string[] => records.map((record) => record.replace(/^null=/, ''))
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'fulfilled',
    ({ code }) => code,
  )

describe('a batch', () => {
  it('has what is sent in one turn', async () => {
    const { broker, producer } = await play()
    const sends = ['a', 'b', 'c'].map((value) => producer.send({ topic: 't', key: `k${value}`, value }))
    const first = await broker.nth(1)
    expect(first.records).toEqual(['ka=a', 'kb=b', 'kc=c'])
    first.accept(7)
    expect(await Promise.all(sends)).toEqual([7, 8, 9].map((offset) => ({ topic: 't', partition: 0, offset })))
    expect(broker.received).toHaveLength(1)
  })

  it('has text, bytes and nulls as they are', async () => {
    const { broker, producer } = await play()
    const long = '좌석'.repeat(3000)
    void producer.send({ topic: 't', key: '', value: null })
    void producer.send({ topic: 't', key: new Uint8Array([0x6b]), value: '' })
    void producer.send({ topic: 't', key: long, value: Buffer.from(long) })
    void producer.send({ topic: 't', key: 'x'.repeat(60), value: '좌석-1' })
    await producer.flush({ signal: AbortSignal.timeout(0) }).catch(() => {})
    const got: string[] = []
    for (let n = 1; got.length < 4; n++) {
      const produced = await broker.nth(n)
      got.push(...produced.records)
      produced.accept(0)
    }
    expect(got).toEqual(['=null', 'k=', `${long}=${long}`, `${'x'.repeat(60)}=좌석-1`])
  })

  it('goes out when it is full, and the last one when it is flushed', async () => {
    const { broker, producer } = await play({ lingerMs: LONG, batchSize: 3 * (8 + 92) })
    const value = 'x'.repeat(91)
    const sends = [...'abcdefgh'].map((letter) => producer.send({ topic: 't', value: value + letter }))
    const first = await broker.nth(1)
    first.accept(0)
    const second = await broker.nth(2)
    second.accept(3)
    await sends[5]
    expect(producer.statistics().queue).toMatchObject({ records: 2, batches: 1, inFlight: 0 })
    const flushed = producer.flush()
    const third = await broker.nth(3)
    third.accept(6)
    await flushed
    expect(broker.received.map(({ records }) => records.length)).toEqual([3, 3, 2])
    expect(await sends[7]).toEqual({ topic: 't', partition: 0, offset: 7 })
  })

  it('that is not full goes out when it has waited long enough', async () => {
    const { broker, producer } = await play({ lingerMs: 20 })
    void producer.send({ topic: 't', value: 'a' })
    expect(valuesOf((await broker.nth(1)).records)).toEqual(['a'])
  })

  it('takes a record that is larger than it, alone', async () => {
    const { broker, producer } = await play({ batchSize: 100 })
    for (const value of ['a', 'x'.repeat(500), 'b']) void producer.send({ topic: 't', value })
    for (let n = 1; n <= 3; n++) (await broker.nth(n)).accept(n)
    expect(broker.received.map(({ records }) => valuesOf(records).map((value) => value[0]))).toEqual([
      ['a'],
      ['x'],
      ['b'],
    ])
  })

  it('of each record alone is what a size of 0 gives', async () => {
    const { broker, producer } = await play({ batchSize: 0 })
    for (const value of ['a', 'b']) void producer.send({ topic: 't', value })
    for (let n = 1; n <= 2; n++) (await broker.nth(n)).accept(n)
    expect(broker.received.map(({ records }) => valuesOf(records))).toEqual([['a'], ['b']])
  })
})

describe('what is under way', () => {
  it('is one batch of a partition, and of several partitions at once', async () => {
    const { broker, producer } = await play({ batchSize: 0 }, { partitions: 3 })
    for (const partition of [0, 0, 2, 1, 2]) void producer.send({ topic: 't', partition, value: `${partition}` })
    await broker.nth(3)
    expect(broker.received.map(({ partition }) => partition)).toEqual([0, 2, 1])
    expect(producer.statistics().queue).toMatchObject({ inFlight: 3, batches: 5 })
    broker.received[0]?.accept(0)
    expect((await broker.nth(4)).partition).toBe(0)
    broker.received[1]?.accept(0)
    expect((await broker.nth(5)).partition).toBe(2)
  })

  it('is as many requests as it may be', async () => {
    const { broker, producer } = await play({ maxInFlight: 2, maxRequestSize: 100 }, { partitions: 4 })
    for (const partition of [0, 1, 2, 3]) void producer.send({ topic: 't', partition, value: 'x'.repeat(60) })
    await broker.nth(2)
    expect(producer.statistics().queue.inFlight).toBe(2)
    broker.received[0]?.accept(0)
    await broker.nth(3)
    expect(producer.statistics().queue.inFlight).toBe(2)
    broker.received[1]?.accept(0)
    await broker.nth(4)
  })
})

describe('a batch that is refused', () => {
  it('goes again where that can help, before those behind it and as it was', async () => {
    const { broker, producer } = await play({ batchSize: 0 })
    const sends = ['a', 'b', 'c'].map((value) => producer.send({ topic: 't', value }))
    const first = await broker.nth(1)
    first.refuse(ERROR.storage)
    const again = await broker.nth(2)
    expect(again.bytes).toEqual(first.bytes)
    again.refuse(ERROR.storage)
    for (let n = 3; n <= 5; n++) (await broker.nth(n)).accept(n)
    expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([3, 4, 5])
    expect(broker.received.map(({ records }) => valuesOf(records)[0])).toEqual(['a', 'a', 'a', 'b', 'c'])
    expect(producer.statistics()).toMatchObject({ records: 3, batches: 3, retries: 2, failedRecords: 0 })
  })

  it('fails where it cannot, and those behind it go on', async () => {
    const { broker, producer } = await play({ batchSize: 0 })
    const sends = ['a', 'b'].map((value) => producer.send({ topic: 't', value }))
    ;(await broker.nth(1)).refuse(ERROR.invalidRecord)
    ;(await broker.nth(2)).accept(0)
    expect(await codeOf(sends[0] as Promise<unknown>)).toBe('INVALID_RECORD')
    expect(await sends[1]).toMatchObject({ offset: 0 })
    expect(producer.statistics()).toMatchObject({ records: 1, retries: 0, failedRecords: 1, queue: { bytes: 0 } })
  })

  it('fails when it was sent often enough', async () => {
    const { broker, producer } = await play({ retries: 2 })
    const send = producer.send({ topic: 't', value: 'a' })
    for (let n = 1; n <= 3; n++) (await broker.nth(n)).refuse(ERROR.storage)
    expect(await codeOf(send)).toBe('KAFKA_STORAGE_ERROR')
    expect(broker.received).toHaveLength(3)
  })

  it('is halved where it is too large', async () => {
    const { broker, producer } = await play()
    const sends = [...'abcde'].map((value) => producer.send({ topic: 't', key: value, value }))
    const flushed = producer.flush()
    ;(await broker.nth(1)).refuse(ERROR.messageTooLarge)
    ;(await broker.nth(2)).accept(10)
    ;(await broker.nth(3)).refuse(ERROR.messageTooLarge)
    ;(await broker.nth(4)).refuse(ERROR.messageTooLarge)
    ;(await broker.nth(5)).accept(12)
    await flushed
    expect(broker.received.map(({ records }) => records.join())).toEqual([
      'a=a,b=b,c=c,d=d,e=e',
      'a=a,b=b',
      'c=c,d=d,e=e',
      'c=c',
      'd=d,e=e',
    ])
    const codes = await Promise.all(
      sends.map((send) =>
        send.then(
          ({ offset }) => offset,
          ({ code }) => code,
        ),
      ),
    )
    expect(codes).toEqual([10, 11, 'MESSAGE_TOO_LARGE', 12, 13])
  })

  it('goes again in order when the connection is lost, on a new one', async () => {
    const { broker, producer } = await play({ batchSize: 0 }, { partitions: 2 })
    const sends = [0, 1, 0, 1].map((partition, i) => producer.send({ topic: 't', partition, value: `${i}` }))
    await broker.nth(2)
    broker.received[0]?.drop()
    await broker.nth(4)
    broker.received[2]?.accept(0)
    broker.received[3]?.accept(0)
    await broker.nth(6)
    broker.received[4]?.accept(1)
    broker.received[5]?.accept(1)
    await Promise.all(sends)
    const inOrder = (partition: number): string[] =>
      broker.received.filter((each) => each.partition === partition).flatMap(({ records }) => valuesOf(records))
    expect([inOrder(0), inOrder(1)]).toEqual([
      ['0', '0', '2'],
      ['1', '1', '3'],
    ])
    expect(producer.statistics().retries).toBe(2)
  })
})

describe('a record that is not acknowledged in time', () => {
  it('fails, whether it was sent or not', async () => {
    const { producer } = await play({ batchSize: 0, deliveryTimeoutMs: 60 }, { connection: { requestTimeoutMs: 50 } })
    const sends = ['a', 'b'].map((value) => producer.send({ topic: 't', value }))
    expect(await Promise.all(sends.map(codeOf))).toEqual(['REQUEST_TIMED_OUT', 'REQUEST_TIMED_OUT'])
    const nothing = { records: 0, bytes: 0, batches: 0, inFlight: 0 }
    await expect.poll(() => producer.statistics().queue).toMatchObject(nothing)
    expect(producer.statistics()).toMatchObject({ records: 0, failedRecords: 2 })
  })

  it('fails with what kept it from the broker', async () => {
    const transport = openTransport({ brokers: '127.0.0.1:1', requestTimeoutMs: 20 })
    const producer = new Producer(transport, { maxBlockMs: 200 })
    const error = await producer.send({ topic: 't', value: 'a' }).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'REQUEST_TIMED_OUT', message: expect.stringContaining('t is not known') })
    expect((error as Error).cause).toMatchObject({ code: 'NETWORK_EXCEPTION' })
    await producer.close()
    await transport.close()
  })
})

describe('send waits', () => {
  const value = 'x'.repeat(92)

  it('where there is no memory, and goes on in order', async () => {
    const { broker, producer } = await play({ bufferMemory: 1000, batchSize: 500, lingerMs: LONG })
    const sends = Array.from({ length: 30 }, (_, i) =>
      producer.send({ topic: 't', key: `${i}`.padStart(2), value: '좌' }),
    )
    const more = Array.from({ length: 30 }, (_, i) => producer.send({ topic: 't', key: `${i + 30}`, value }))
    await broker.nth(1)
    const { queue } = producer.statistics()
    expect(queue.waiting).toBeGreaterThan(15)
    expect(queue.bytes).toBeLessThanOrEqual(1000)
    let offset = 0
    for (let n = 1; offset < 60; n++) {
      const produced = await broker.nth(n)
      produced.accept(offset)
      offset += produced.records.length
      expect(producer.statistics().queue.bytes).toBeLessThanOrEqual(1000)
    }
    const found = await Promise.all([...sends, ...more])
    expect(found.map(({ offset }) => offset)).toEqual(Array.from({ length: 60 }, (_, i) => i))
    expect(producer.statistics().queue).toMatchObject({ waiting: 0, bytes: 0, records: 0 })
  })

  it('for memory no longer than it may', async () => {
    const { broker, producer } = await play({ bufferMemory: 250, batchSize: 0, maxBlockMs: 30 }, { partitions: 2 })
    const known = { topic: 't', partition: 1, value }
    broker.acceptAll()
    // The topic itself is not waited for any longer.
    while ((await codeOf(producer.send(known))) !== 'fulfilled');
    broker.hold()
    const sends = Array.from({ length: 4 }, () => producer.send({ topic: 't', partition: 0, value }))
    await expect(sends[2]).rejects.toMatchObject({
      code: 'REQUEST_TIMED_OUT',
      message: expect.stringContaining('250 bytes of bufferMemory'),
    })
    expect(await codeOf(sends[3] as Promise<unknown>)).toBe('REQUEST_TIMED_OUT')
    expect(producer.statistics().queue).toMatchObject({ waiting: 0, records: 2 })
  })

  it('for a topic until it is there', async () => {
    let count: number | null = null
    const { broker, producer } = await play({}, { partitions: () => count })
    const sends = ['a', 'b'].map((value) => producer.send({ topic: 't', value }))
    await expect.poll(broker.asked, { interval: 1 }).toBeGreaterThan(2)
    count = 1
    ;(await broker.nth(1)).accept(0)
    expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([0, 1])
  })

  it('for a topic no longer than it may', async () => {
    const { producer } = await play({ maxBlockMs: 10 }, { partitions: () => null })
    await expect(producer.send({ topic: 'none', value: 'a' })).rejects.toMatchObject({
      code: 'REQUEST_TIMED_OUT',
      message: expect.stringContaining('none is not known'),
    })
  })

  it('for a partition that is not there yet, and others do not', async () => {
    let count = 1
    const { broker, producer } = await play({}, { partitions: () => count })
    const later = producer.send({ topic: 't', partition: 2, value: 'later' })
    const now = producer.send({ topic: 't', partition: 0, value: 'now' })
    const first = await broker.nth(1)
    expect(valuesOf(first.records)).toEqual(['now'])
    first.accept(0)
    await now
    count = 3
    const second = await broker.nth(2)
    second.accept(5)
    expect(await later).toEqual({ topic: 't', partition: 2, offset: 5 })
  })
})

describe('partitions', () => {
  it('that are added are used when what is known is old', async () => {
    let count = 1
    const { broker, producer } = await play(
      { metadataMaxAgeMs: 0, partitioner: (_, n) => n - 1 },
      { partitions: () => count },
    )
    void producer.send({ topic: 't', value: 'a' })
    ;(await broker.nth(1)).accept(0)
    count = 2
    for (let n = 2; broker.received.at(-1)?.partition === 0; n++) {
      void producer.send({ topic: 't', value: 'b' })
      ;(await broker.nth(n)).accept(0)
    }
    expect(broker.received.at(-1)?.partition).toBe(1)
  })

  it('are asked for again where one is gone, and the batch goes again', async () => {
    const { broker, producer } = await play()
    const send = producer.send({ topic: 't', value: 'a' })
    ;(await broker.nth(1)).refuse(ERROR.unknownTopicOrPartition)
    ;(await broker.nth(2)).accept(3)
    expect(await send).toMatchObject({ offset: 3 })
    expect(broker.asked()).toBe(2)
  })

  it('are those of the record, of the function, of the key and of the turn', async () => {
    const asked: unknown[] = []
    const { broker, producer } = await play(
      { partitioner: (record, count) => asked.push({ ...record, count }) && 1 },
      { partitions: 3 },
    )
    void producer.send({ topic: 't', partition: 2, key: 'k', value: 'a' })
    void producer.send({ topic: 't', key: 'k', value: 'b' })
    void producer.send({ topic: 't', value: 'c' })
    await broker.nth(2)
    expect(broker.received.map(({ partition, records }) => [partition, records])).toEqual([
      [2, ['k=a']],
      [1, ['k=b', 'null=c']],
    ])
    expect(asked).toEqual([
      { topic: 't', key: Buffer.from('k'), value: 'b', count: 3 },
      { topic: 't', key: null, value: 'c', count: 3 },
    ])
  })

  it('of a function that fails are told to the one send', async () => {
    const { broker, producer } = await play({
      partitioner: ({ value }) => {
        if (value === 'a') throw new RangeError('no')
        return 0
      },
    })
    const send = producer.send({ topic: 't', value: 'a' })
    void producer.send({ topic: 't', value: 'b' })
    await expect(send).rejects.toThrow(RangeError)
    expect(valuesOf((await broker.nth(1)).records)).toEqual(['b'])
  })
})

describe('a signal', () => {
  it('takes back what waits', async () => {
    const { broker, producer } = await play({ bufferMemory: 100, batchSize: 0 })
    const controller = new AbortController()
    const { signal } = controller
    const value = 'x'.repeat(88)
    void producer.send({ topic: 't', value }, { signal })
    const waiting = producer.send({ topic: 't', value: 'b' }, { signal })
    const next = producer.send({ topic: 't', value: 'c' })
    const first = await broker.nth(1)
    controller.abort()
    expect(await codeOf(waiting)).toBe('ABORTED')
    first.accept(0)
    const second = await broker.nth(2)
    expect(valuesOf(second.records)).toEqual(['c'])
    second.accept(1)
    await next
  })

  it('rejects what is under way, which is written all the same', async () => {
    const { broker, producer } = await play()
    const controller = new AbortController()
    const send = producer.send({ topic: 't', value: 'a' }, { signal: controller.signal })
    const first = await broker.nth(1)
    controller.abort(new Error('enough'))
    await expect(send).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } })
    first.accept(0)
    await expect.poll(() => producer.statistics().records).toBe(1)
  })

  it('that has aborted sends nothing', async () => {
    const { broker, producer } = await play()
    const signal = AbortSignal.abort()
    expect(await codeOf(producer.send({ topic: 't', value: 'a' }, { signal }))).toBe('ABORTED')
    void producer.send({ topic: 't', value: 'b' })
    expect(valuesOf((await broker.nth(1)).records)).toEqual(['b'])
  })

  it('of many sends is listened to once, and no more when they are settled', async () => {
    const { broker, producer } = await play()
    const { signal } = new AbortController()
    const calls: string[] = []
    const watched = new Proxy(signal, {
      get: (target, name) => {
        if (name === 'addEventListener' || name === 'removeEventListener') calls.push(name)
        const found: unknown = Reflect.get(target, name, target)
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
    const sends = Array.from({ length: 100 }, () => producer.send({ topic: 't', value: 'a' }, { signal: watched }))
    ;(await broker.nth(1)).accept(0)
    await Promise.all(sends)
    expect(calls).toEqual(['addEventListener', 'removeEventListener'])
  })
})

describe('close', () => {
  it('sends what lies there, and waits for it', async () => {
    const { broker, producer } = await play({ lingerMs: LONG })
    const send = producer.send({ topic: 't', value: 'a' })
    const closed = producer.close()
    expect(await codeOf(producer.send({ topic: 't', value: 'b' }))).toBe('CLIENT_CLOSED')
    const first = await broker.nth(1)
    expect(valuesOf(first.records)).toEqual(['a'])
    first.accept(4)
    await closed
    expect(await send).toMatchObject({ offset: 4 })
    await producer.close()
  })

  it('sends what waits for memory, too', async () => {
    const { broker, producer } = await play({ bufferMemory: 100, batchSize: 0 })
    const sends = ['a', 'b', 'c'].map((value) => producer.send({ topic: 't', value: value.repeat(80) }))
    const closed = producer.close()
    for (let n = 1; n <= 3; n++) (await broker.nth(n)).accept(n)
    await closed
    expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([1, 2, 3])
  })

  it('gives up by the time that it is told', async () => {
    const { broker, producer } = await play({ batchSize: 0 }, { partitions: 2 })
    const sends = [0, 0, 1].map((partition) => producer.send({ topic: 't', partition, value: 'a' }))
    await broker.nth(2)
    await producer.close({ timeoutMs: 10 })
    expect(await Promise.all(sends.map(codeOf))).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  })

  it('gives up when its signal aborts, also behind a call without one', async () => {
    const { broker, producer } = await play()
    const send = producer.send({ topic: 't', value: 'a' })
    await broker.nth(1)
    const controller = new AbortController()
    const closes = [producer.close(), producer.close({ signal: controller.signal })]
    controller.abort()
    await Promise.all(closes)
    expect(await codeOf(send)).toBe('ABORTED')
  })

  it('of a producer that nothing was sent by is over at once', async () => {
    const { broker, producer } = await play()
    await producer.close()
    expect(broker.asked()).toBe(0)
  })
})

describe('a record that cannot be sent', () => {
  it.each([
    ['INVALID_TOPIC_EXCEPTION', { topic: 'a/b', value: '' }],
    ['INVALID_ARGUMENT', { topic: undefined as unknown as string, value: '' }],
    ['INVALID_ARGUMENT', { topic: 't', value: undefined as unknown as null }],
    ['INVALID_ARGUMENT', { topic: 't', key: 1 as unknown as string, value: null }],
    ['INVALID_ARGUMENT', { topic: 't', partition: -1, value: null }],
    ['MESSAGE_TOO_LARGE', { topic: 't', value: Buffer.alloc(1001 - 8) }],
    ['MESSAGE_TOO_LARGE', { topic: 't', value: 'x'.repeat(1001 - 8) }],
  ])('is refused with %s', async (code, record) => {
    const { producer } = await play({ maxRequestSize: 1000 })
    expect(await codeOf(producer.send(record))).toBe(code)
  })

  it('is one larger than the memory', async () => {
    const { producer } = await play({ bufferMemory: 100 })
    await expect(producer.send({ topic: 't', value: 'x'.repeat(100) })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
      message: expect.stringContaining('bufferMemory'),
    })
  })
})

it('failures that nobody awaits are not reported as unhandled', async () => {
  const reported: unknown[] = []
  const report = (reason: unknown): void => void reported.push(reason)
  process.on('unhandledRejection', report)
  onTestFinished(() => void process.off('unhandledRejection', report))
  const { broker, producer } = await play({}, { partitions: (topic) => (topic === 't' ? 1 : null) })
  const controller = new AbortController()
  for (const value of ['a', 'b', 'c']) void producer.send({ topic: 't', value })
  void producer.send({ topic: 'none', value: 'a' })
  void producer.send({ topic: 'none', value: 'a' }, { signal: controller.signal })
  void producer.send({ topic: '', value: 'a' })
  ;(await broker.nth(1)).refuse(ERROR.messageTooLarge)
  for (let n = 2; n <= 3; n++) (await broker.nth(n)).refuse(ERROR.invalidRecord)
  void producer.flush({ signal: AbortSignal.abort() })
  controller.abort()
  await producer.close({ timeoutMs: 1 })
  void producer.send({ topic: 't', value: 'late' })
  await new Promise(setImmediate)
  expect(reported).toEqual([])
})

it.each([
  ['lingerMs', { lingerMs: -1 }],
  ['batchSize', { batchSize: 1.5 }],
  ['maxInFlight', { maxInFlight: 0 }],
  ['deliveryTimeoutMs', { deliveryTimeoutMs: 1000 }],
  ['partitioner', { partitioner: 'md5' as 'murmur2' }],
])('an option that cannot be is refused: %s', (name, options: ProducerOptions) => {
  const transport = openTransport({ brokers: '127.0.0.1:1' })
  expect(() => new Producer(transport, options)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(name) }),
  )
})
