import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.js'
import { deleteTopicsApi } from '../../src/wire/kafka/generated/delete-topics.js'
import { metadataApi } from '../../src/wire/kafka/generated/metadata.js'
import { ZERO_UUID } from '../../src/wire/kafka/uuid.js'
import { BrokerProcess } from '../support/broker-process.js'
import { fetch, makeTopicWith, NEWEST, produce, sentBatch, storedBatch } from '../support/kafka-calls.js'
import { KafkaPeer } from '../support/kafka-peer.js'
import { temporaryDirectory } from '../support/temporary.js'

const PARTITIONS = 300
/** Fewer descriptors than partitions. */
const UNDER_A_LOW_LIMIT = ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh']

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

describe('a broker with hardly a descriptor', () => {
  it("makes topics, takes records in all of them and deletes them, for several of Kafka's clients", async () => {
    const dataDir = await temporaryDirectory()
    const options = { dataDir, under: ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'] }
    const broker = await BrokerProcess.start(options)
    const peers: KafkaPeer[] = []
    for (let i = 0; i < 4; i++) peers.push(await KafkaPeer.connect(broker.port))
    const [first, second] = peers as [KafkaPeer, KafkaPeer]
    const names = Array.from({ length: 60 }, (_, i) => `made-${i}`)
    const { topics } = await first.call(metadataApi, NEWEST.metadata, {
      topics: names.map((name) => ({ name, topicId: ZERO_UUID })),
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    })
    expect(topics.filter(({ errorCode }) => errorCode !== 0)).toEqual([])
    await makeTopicWith(second, 'wide', {}, 100)
    const batch = sentBatch('one record')
    for (const [i, name] of names.entries()) {
      expect(await produce(peers[i % 4] as KafkaPeer, name, batch, { acks: -1 })).toMatchObject({ errorCode: 0 })
    }
    for (let partition = 0; partition < 100; partition++) {
      expect(await produce(first, 'wide', batch, { partition, acks: 1 })).toMatchObject({ errorCode: 0 })
    }
    const asked = { topics: [], topicNames: names, timeoutMs: 0 }
    const deleted = await second.call(deleteTopicsApi, 5, asked)
    expect(deleted.responses.filter(({ errorCode }) => errorCode !== 0)).toEqual([])

    await broker.kill()
    const again = await BrokerProcess.start(options)
    const reader = await KafkaPeer.connect(again.port)
    for (let partition = 0; partition < 100; partition++) {
      const found = await fetch(reader, { topic: 'wide', partition, offset: 0 })
      expect(found).toMatchObject([{ errorCode: 0, records: storedBatch(batch, 0) }])
    }
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })
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
