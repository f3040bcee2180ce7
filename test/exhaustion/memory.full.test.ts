import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import * as frames from '../support/frames.js'
import { fetch } from '../support/kafka-calls.js'
import { KafkaPeer } from '../support/kafka-peer.js'
import { Peer } from '../support/peer.js'
import { temporaryDirectory } from '../support/temporary.js'
import { canPreload, faults } from './support/faults.js'

const MEBIBYTE = 1 << 20
const RECORDS = 60
const VALUE = Buffer.alloc(2 * MEBIBYTE, 'v')

it('what passes through is not bounded by the heap of V8', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await BrokerProcess.start({ dataDir, under: ['env', 'NODE_OPTIONS=--max-old-space-size=48'] })
  const peer = await Peer.connect(broker.port)
  await peer.call(frames.createTopic('t', 1))
  const request = frames.produce('t', 0, [{ value: VALUE }])
  for (let i = 0; i < RECORDS; i++) peer.send(request)
  expect(await peer.frames(RECORDS)).toEqual(Array.from({ length: RECORDS }, (_, i) => frames.produced(0, 0, i, 1)))
  const readers = await Promise.all(Array.from({ length: 4 }, () => Peer.connect(broker.port)))
  const answers = await Promise.all(readers.map((each) => each.call(frames.fetch('t', 0, 0, 64 * MEBIBYTE))))
  for (const answer of answers) expect(frames.readFetched(answer).count).toBeGreaterThan(30)
  expect(await broker.stop()).toEqual({ code: 0, signal: null })
})

describe.runIf(canPreload)('a process without memory for what is large', () => {
  it('refuses that alone, and takes it when there is some', async () => {
    const dataDir = await temporaryDirectory()
    const memory = await faults()
    const broker = await BrokerProcess.start({ dataDir, under: memory.under })
    const client = await Client.connect({ port: broker.port })
    await client.createTopic('t', 1)
    await client.produce('t', [{ value: VALUE }, { value: VALUE }])
    await client.produce('t', [{ value: 'x' }])

    memory.set('largestAllocation', MEBIBYTE)
    const large = await Peer.connect(broker.port)
    large.send(frames.produce('t', 0, [{ value: Buffer.alloc(20 * MEBIBYTE) }]))
    await large.closed
    await expect.poll(() => broker.output).toMatch(/closing a connection: .*alloc/i)
    // A Kafka client's fetch of MyKafka's records is put together in memory.
    const converting = await KafkaPeer.connect(broker.port)
    const wide = { maxBytes: 32 * MEBIBYTE }
    const [refused] = await fetch(converting, { topic: 't', offset: 0, ...wide }, wide)
    expect(refused).toMatchObject({ errorCode: 56 })
    await expect.poll(() => broker.log.filter(({ call }) => call === 'Fetch')).toHaveLength(1)
    expect((await client.fetch('t', 0, 2))[0]?.value?.toString()).toBe('x')
    expect(await client.produce('t', [{ value: 'y' }])).toMatchObject({ baseOffset: 3 })
    await client.commitOffset('group', 't', 0, 4)

    memory.set('largestAllocation', 0)
    const [fetched] = await fetch(converting, { topic: 't', offset: 0, ...wide }, wide)
    expect(fetched).toMatchObject({ errorCode: 0 })
    expect(fetched?.records.length).toBeGreaterThan(2 * MEBIBYTE)
    expect(await client.produce('t', [{ value: Buffer.alloc(20 * MEBIBYTE) }])).toMatchObject({ baseOffset: 4 })
    await client.close()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })
})
