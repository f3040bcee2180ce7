import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import type { BrokerOptions } from '../../../src/server/broker.js'
import { advertise } from '../../../src/server/listeners.js'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { Peer } from '../../support/peer.js'

const TWO = [
  { host: '127.0.0.1', port: 0 },
  { name: 'OTHER', host: '127.0.0.1', port: 0 },
]

it('serves the same topics on each of its listeners', async () => {
  const { broker } = await startBroker({ listeners: TWO })
  const [first, other] = broker.listeners
  expect(broker.listeners).toEqual([
    { name: 'PLAINTEXT', host: '127.0.0.1', port: broker.port },
    { name: 'OTHER', host: '127.0.0.1', port: other?.port },
  ])
  expect(broker.bootstrapServers).toBe(`127.0.0.1:${broker.port}`)
  expect(first?.port).not.toBe(other?.port)
  const peer = await Peer.connect(other?.port as number)
  expect(await peer.call(frames.createTopic('t', 1))).toEqual(frames.created(0))
  expect(await (await Peer.connect(broker.port)).call(frames.createTopic('t', 1))).toEqual(frames.created(1))
  await broker.stop()
  for (const { port } of broker.listeners) await expect(Peer.connect(port)).rejects.toThrow('ECONNREFUSED')
})

it('counts the connections of all listeners against max.connections', async () => {
  const { broker, logger } = await startBroker({ listeners: TWO, maxConnections: 1 })
  const [first, other] = broker.listeners.map(({ port }) => port) as [number, number]
  const peer = await Peer.connect(first)
  await peer.call(frames.createTopic('t', 1))
  await (await Peer.connect(other)).closed
  expect(logger.messages('warn')).toEqual(['refused: max.connections reached'])
})

it('listens on none where one of them is taken', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const free = createServer()
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
  const freePort = (free.address() as { port: number }).port
  await new Promise((resolve) => free.close(resolve))
  const listeners = [
    { host: '127.0.0.1', port: freePort },
    { name: 'TAKEN', host: '127.0.0.1', port },
  ]
  await expect(startBroker({ listeners })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect(Peer.connect(freePort)).rejects.toThrow('ECONNREFUSED')
  await new Promise((resolve) => taken.close(resolve))
})

it('advertises what the configuration says, else what is listened on, else what the client came to', () => {
  const listener = { name: 'PLAINTEXT', host: '10.0.0.1', port: 9092 }
  const told = [{ host: 'broker.example', port: 19092 }]
  expect(advertise(listener, told, '10.0.0.1')).toEqual({ name: 'PLAINTEXT', host: 'broker.example', port: 19092 })
  expect(advertise({ ...listener, name: 'OTHER' }, told, '10.0.0.1')).toEqual({ ...listener, name: 'OTHER' })
  for (const host of ['0.0.0.0', '::']) {
    expect(advertise({ ...listener, host }, [], '192.168.1.2').host).toBe('192.168.1.2')
    expect(advertise({ ...listener, host }, [], '::ffff:192.168.1.2').host).toBe('192.168.1.2')
    expect(advertise({ ...listener, host }, [], '::1').host).toBe('::1')
  }
})

it.each([
  [{ listeners: [TWO[0], TWO[0]] }, 'listeners: each listener needs a name of its own, PLAINTEXT is there twice'],
  [{ listeners: [{ host: '127.0.0.1', port: 65536 }] }, 'port must be an integer from 0 to 65535, not 65536'],
  [{ advertisedListeners: [{ name: 'X', host: 'a', port: 1 }] }, 'advertised.listeners: X is not one of listeners'],
  [
    { advertisedListeners: [{ host: '0.0.0.0', port: 1 }] },
    'advertised.listeners: clients cannot connect to 0.0.0.0:1',
  ],
  [{ advertisedListeners: [{ host: '::1', port: 0 }] }, 'advertised.listeners: clients cannot connect to [::1]:0'],
])('refuses listeners that cannot be: %j', async (options, message) => {
  await expect(startBroker(options as BrokerOptions)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message,
  })
})
