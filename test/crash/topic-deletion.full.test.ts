import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { deleteTopicsApi } from '../../src/wire/kafka/generated/delete-topics.js'
import { ZERO_UUID } from '../../src/wire/kafka/uuid.js'
import { BrokerProcess } from '../support/broker-process.js'
import { topicTree } from '../support/data-directory.js'
import { KafkaPeer } from '../support/kafka-peer.js'
import { testRandom } from '../support/random.js'
import { temporaryDirectory } from '../support/temporary.js'

const PARTITIONS = 4
const RECORDS = 80
const ARGS = ['--segment-bytes', '1024', '--fsync', 'never']
const asked = { topics: [{ name: 'large', topicId: ZERO_UUID }], topicNames: [], timeoutMs: 30_000 }

/** Many files, so that their removal takes a while. */
async function fill(client: Client, topic: string): Promise<void> {
  if ((await client.createTopic(topic, PARTITIONS)) !== 'created') throw new Error(`${topic} is there`)
  const calls: Promise<unknown>[] = []
  for (let i = 0; i < PARTITIONS * RECORDS; i++) {
    calls.push(client.produce(topic, [{ value: `${topic} ${i} `.padEnd(700, '.') }], { partition: i % PARTITIONS }))
  }
  await Promise.all(calls)
}

/** How many records each partition has; null: the topic is not there. */
async function recordsOf(client: Client, topic: string): Promise<number[] | null> {
  const all = await client.metadata()
  const found = all.find((described) => described.topic === topic)
  if (found === undefined) return null
  return await Promise.all(
    found.partitions.map(async ({ highWatermark }, partition) => {
      let offset = 0
      while (offset < highWatermark) offset += (await client.fetch(topic, partition, offset)).length
      return offset
    }),
  )
}

it('killed in the middle of a deletion, a topic is there whole or not at all, and its name is free', async () => {
  const random = testRandom()
  const dataDir = join(await temporaryDirectory(), 'data')
  const whole = Array(PARTITIONS).fill(RECORDS)
  let broker = await BrokerProcess.start({ dataDir, args: ARGS })
  let client = await Client.connect({ port: broker.port })
  await fill(client, 'kept')
  for (let round = 0; round < 4; round++) {
    if ((await recordsOf(client, 'large')) === null) await fill(client, 'large')
    const peer = await KafkaPeer.connect(broker.port)
    const deleting = peer.call(deleteTopicsApi, 6, asked).then(
      ({ responses }) => responses[0]?.errorCode === 0,
      () => false,
    )
    // In even rounds as soon as it is answered, while the files are going; else at any moment of it.
    if (round % 2 === 0) {
      expect(await deleting).toBe(true)
      await broker.kill()
    } else {
      await broker.killIn(random.integer(0, 30))
    }
    const acknowledged = await deleting
    await client.close()
    broker = await BrokerProcess.start({ dataDir, args: ARGS })
    client = await Client.connect({ port: broker.port })
    const records = await recordsOf(client, 'large')
    if (acknowledged) expect(records).toBeNull()
    else if (records !== null) expect(records).toEqual(whole)
    expect((await topicTree(dataDir)).has('large')).toBe(records !== null)
    expect(await readdir(join(dataDir, '@broker', 'deleted'))).toEqual([])
    expect(await recordsOf(client, 'kept')).toEqual(whole)
  }
  if ((await recordsOf(client, 'large')) === null) await fill(client, 'large')
  expect(await recordsOf(client, 'large')).toEqual(whole)
  await client.close()
  expect(await broker.stop()).toEqual({ code: 0, signal: null })
})
