import { describe, expect, it, vi } from 'vitest'
import { type BrokersConnectOptions, openTransport } from '../../../src/client/connect.js'
import type { Transport } from '../../../src/client/transport.js'
import { startBroker } from '../../support/broker.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { closedBehind } from '../../support/connected.js'
import { deadPort } from '../../support/dead-port.js'
import { scriptedBroker } from '../../support/scripted-broker.js'
import { temporaryDirectory } from '../../support/temporary.js'

const QUICK = { reconnectBackoffMs: 5, reconnectBackoffMaxMs: 20 }
const PATIENCE = { timeout: 20_000 }

function transportTo(brokers: BrokersConnectOptions['brokers'], options: BrokersConnectOptions = {}): Transport {
  return closedBehind(openTransport({ brokers, ...QUICK, ...options }))
}

describe('where several addresses are given', () => {
  it('the first that answers is taken, and kept to', async () => {
    const { port } = await startBroker()
    const transport = transportTo([`127.0.0.1:${await deadPort()}`, `127.0.0.1:${port}`])
    const client = await transport.client()
    expect(await client.metadata()).toEqual([])
    await client.close()
    expect(await (await transport.client()).metadata()).toEqual([])
  })

  it('another one takes over where a broker is gone', async () => {
    const [first, second] = [await startBroker(), await startBroker()]
    const transport = transportTo(`127.0.0.1:${first.port},127.0.0.1:${second.port}`)
    await (await transport.client()).createTopic('of-the-first', 1)
    await first.stop()
    await expect.poll(async () => (await transport.client()).metadata().catch(() => null)).toEqual([])
  })
})

describe('where no broker answers', () => {
  it('the call fails in time and says why, and a later one succeeds', async () => {
    const port = await deadPort()
    const transport = transportTo(`127.0.0.1:${port}`, { requestTimeoutMs: 50 })
    const failure = {
      code: 'NETWORK_EXCEPTION',
      retriable: true,
      errno: 'ECONNREFUSED',
      message: expect.stringContaining('in 50 ms'),
    }
    // On a machine that is busy the time may be over before the first refusal is seen.
    await vi.waitFor(() => expect(transport.client()).rejects.toMatchObject(failure), PATIENCE)
    await startBroker({ port })
    await expect.poll(async () => (await transport.client()).metadata()).toEqual([])
  })

  it('a signal ends the search of one, and not that of another', async () => {
    const port = await deadPort()
    const transport = transportTo(`127.0.0.1:${port}`)
    const controller = new AbortController()
    const [aborted, kept] = [transport.client({ signal: controller.signal }), transport.client()]
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
    await startBroker({ port })
    expect(await (await kept).metadata()).toEqual([])
  })

  it('a close ends the search', async () => {
    const transport = transportTo(`127.0.0.1:${await deadPort()}`)
    const asked = [transport.client(), transport.ownClient(), transport.kafka()]
    await transport.close()
    const settled = await Promise.allSettled(asked)
    expect(settled.map((call) => (call as PromiseRejectedResult).reason?.code)).toEqual(Array(3).fill('CLIENT_CLOSED'))
  })
})

it('a broker that is killed and comes back is found again', async () => {
  const dataDir = await temporaryDirectory()
  const port = await deadPort()
  const args = ['--port', String(port)]
  const broker = await BrokerProcess.start({ dataDir, args })
  const transport = transportTo(`127.0.0.1:${port}`)
  const client = await transport.client()
  await client.createTopic('t', 1)
  await client.produce('t', [{ value: 'before' }])
  const calls = Promise.allSettled(Array.from({ length: 20 }, () => client.fetch('t', 0, 1)))
  await broker.kill()
  const codes = (await calls).map((call) => call.status === 'rejected' && call.reason.code)
  expect(codes.every((code) => code === false || code === 'CONNECTION_CLOSED')).toBe(true)
  await expect(client.metadata()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED', retriable: true })

  const next = transport.client()
  await BrokerProcess.start({ dataDir, args })
  const [record] = await (await next).fetch('t', 0, 0)
  expect(String(record?.value)).toBe('before')
})

it('a broker that does not answer is left, and asked anew', async () => {
  let connections = 0
  const port = await scriptedBroker((socket, received) => {
    if (received.length > 9) return
    connections++
    // From the second connection on there are answers: no topics.
    if (connections > 1) socket.write(Buffer.from('00000006050000000000', 'hex'))
  })
  const transport = transportTo(`127.0.0.1:${port}`, { requestTimeoutMs: 100 })
  const client = await vi.waitFor(() => transport.client(), PATIENCE)
  await expect(client.metadata()).rejects.toMatchObject({ code: 'REQUEST_TIMED_OUT' })
  await expect.poll(async () => (await transport.client()).metadata()).toEqual([])
})
