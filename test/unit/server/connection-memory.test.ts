import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { silentLogger } from '../../../src/logger.js'
import { RepeatedFaults } from '../../../src/repeated-faults.js'
import { Connection } from '../../../src/server/connection.js'
import { LoopShares } from '../../../src/server/loop-shares.js'
import { RequestMemory } from '../../../src/server/request-memory.js'
import type { RequestRouter, RoutedResponse } from '../../../src/server/request-router.js'
import * as frames from '../../support/frames.js'

const server = createServer()

afterEach(() => void server.close())

/** Both ends of a connection. */
async function socketPair(): Promise<{ ours: Socket; peer: Socket }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const peer = connect(server.address() as never)
  const [ours] = (await accepted) as [Socket]
  return { ours, peer }
}

it('requests count until they are answered, also those of a peer that is gone, and no longer', async () => {
  const requests = new RequestMemory(Number.POSITIVE_INFINITY)
  const answers: ((response: RoutedResponse) => void)[] = []
  const router: RequestRouter = {
    produceKind: 0,
    fetchKind: 1,
    kindOf: () => 0,
    route: () => new Promise((resolve) => answers.push(resolve)),
  }
  const { ours, peer } = await socketPair()
  new Connection(ours, {
    logger: silentLogger,
    faults: new RepeatedFaults(silentLogger),
    routers: { mykafka: router, kafka: router },
    maxFrameBytes: 1 << 20,
    listener: { name: 'PLAINTEXT', host: '127.0.0.1', port: 1 },
    requests,
    shares: new LoopShares(),
    responses: { zeroCopy: false, stallTimeoutMs: 1000, maxBytesHeld: 4 << 20, maxPending: 100 },
  })
  const request = frames.produce('t', 0, [{ value: Buffer.alloc(100_000) }])
  peer.write(Buffer.concat([request, request, request]))
  await expect.poll(() => answers.length).toBe(3)
  const whole = requests.held
  expect(whole).toBeGreaterThan(300_000)
  peer.destroy()
  await once(ours, 'close')
  expect(requests.held).toBe(whole)
  for (const answer of answers) answer(null)
  await expect.poll(() => requests.held).toBe(0)
})
