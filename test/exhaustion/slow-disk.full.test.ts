import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { makeTopicWith, produce, sentBatch } from '../support/kafka-calls.js'
import { KafkaPeer } from '../support/kafka-peer.js'
import { temporaryDirectory } from '../support/temporary.js'
import { canPreload, faults } from './support/faults.js'

const PARTITIONS = 8

describe.runIf(canPreload)('a disk whose syncs take for ever', () => {
  it('keeps those waiting who asked for it, and nobody else; the log says so, and a stop waits', async () => {
    const dataDir = await temporaryDirectory()
    const disk = await faults()
    const broker = await BrokerProcess.start({ dataDir, under: disk.under })
    const setUp = await KafkaPeer.connect(broker.port)
    await makeTopicWith(setUp, 'kafka', {}, PARTITIONS)
    const client = await Client.connect({ port: broker.port })
    await client.createTopic('mykafka', PARTITIONS)
    const batch = sentBatch('one record')

    disk.set('syncsHeld', 1)
    const said = broker.writes('the disk is slow')
    // More logs than there are threads for syncs.
    let synced = 0
    const waiting = Array.from({ length: PARTITIONS }, async (_, partition) => {
      const peer = await KafkaPeer.connect(broker.port)
      const answer = await produce(peer, 'kafka', batch, { partition, acks: -1 })
      synced++
      return answer
    })
    const creating = (await Client.connect({ port: broker.port })).createTopic('made', 2)
    const other = await KafkaPeer.connect(broker.port)
    for (let round = 0; round < 20; round++) {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        expect(await produce(other, 'kafka', batch, { partition, acks: 1 })).toMatchObject({ errorCode: 0 })
        await client.produce('mykafka', [{ value: 'x' }], { partition })
      }
      await client.commitOffset('group', 'mykafka', 0, round)
    }
    expect(await client.fetch('mykafka', 0, 0)).toHaveLength(20)
    expect(synced).toBe(0)
    await said

    disk.set('syncsHeld', 0)
    expect((await Promise.all(waiting)).filter(({ errorCode }) => errorCode !== 0)).toEqual([])
    expect(await creating).toBe('created')

    disk.set('syncsHeld', 1)
    await client.produce('mykafka', [{ value: 'x' }], { partition: 0 })
    const closing = broker.writes('closing logs: ')
    const stopped = broker.stop()
    await closing
    disk.set('syncsHeld', 0)
    expect(await stopped).toEqual({ code: 0, signal: null })
    const again = await BrokerProcess.start({ dataDir })
    const reader = await Client.connect({ port: again.port })
    expect(await reader.fetchOffset('group', 'mykafka', 0)).toBe(19)
    expect(await reader.fetch('mykafka', PARTITIONS - 1, 0)).toHaveLength(20)
    await reader.close()
    expect(await again.stop()).toEqual({ code: 0, signal: null })
    expect(again.log.filter(({ level }) => level > 30)).toEqual([])
  })
})
