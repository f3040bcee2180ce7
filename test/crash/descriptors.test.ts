import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.js'
import { BrokerProcess } from '../support/broker-process.js'
import { temporaryDirectory } from '../support/temporary.js'

const PARTITIONS = 300
/** Fewer descriptors than partitions. */
const UNDER_A_LOW_LIMIT = ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh']

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

describe('a broker with fewer descriptors than partitions', () => {
  it('takes records in all of them, and has them behind kill -9', async () => {
    const dataDir = await temporaryDirectory()
    const broker = await BrokerProcess.start({ dataDir, under: UNDER_A_LOW_LIMIT })
    const client = await Client.connect({ port: broker.port })
    await client.createTopic('many', PARTITIONS)
    for (let round = 0; round < 2; round++) {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const sent = await client.produce('many', [{ value: `${partition}-${round}` }], { partition })
        expect(sent).toEqual({ partition, baseOffset: round, count: 1 })
      }
    }
    await client.close()
    await broker.kill()
    const again = await BrokerProcess.start({ dataDir, under: UNDER_A_LOW_LIMIT })
    const reader = await Client.connect({ port: again.port })
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const records = await reader.fetch('many', partition, 0)
      expect(records.map(({ value }) => value?.toString())).toEqual([`${partition}-0`, `${partition}-1`])
    }
    await reader.close()
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })

  it('outlives more connections than it can have, and serves the one that was there', async () => {
    const broker = await BrokerProcess.start({ dataDir: await temporaryDirectory(), under: UNDER_A_LOW_LIMIT })
    const client = await Client.connect({ port: broker.port })
    await client.createTopic('many', PARTITIONS)
    for (let i = 0; i < 400; i++) sockets.push(connect({ port: broker.port, host: '127.0.0.1' }).on('error', () => {}))
    for (let partition = 0; partition < PARTITIONS; partition++) {
      await client.produce('many', [{ value: 'x' }], { partition })
    }
    expect(broker.output).toContain('refused: max.connections reached')
    await client.close()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })
})
