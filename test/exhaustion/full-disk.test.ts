import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Client, MyKafkaError } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { partitionRecords, topicTree } from '../support/data-directory.js'
import { isLostConnection, Ledger } from '../support/ledger.js'
import { type Random, testRandom } from '../support/random.js'
import { canMount, smallDisk } from '../support/small-disk.js'

const TOPIC = 'topic'
const PARTITIONS = 2
const SETTINGS = ['--segment-bytes', '1048576']

/** Appends to all partitions, some at a time, until one append is refused, or `most` were accepted. */
async function appendUntilRefused(client: Client, ledger: Ledger, random: Random, most = 10_000): Promise<unknown[]> {
  const refusals: unknown[] = []
  for (let sent = 0; sent < most && refusals.length === 0; sent += 8) {
    const group = Array.from({ length: 8 }, async () => {
      const request = ledger.request(random, 0, random.integer(0, PARTITIONS - 1))
      try {
        const answer = await client.produce(TOPIC, request.records, { partition: request.partition })
        request.baseOffset = answer.baseOffset
      } catch (error) {
        request.refused = !isLostConnection(error)
        refusals.push(error)
      }
    })
    await Promise.all(group)
  }
  return refusals
}

async function expectAllThere(client: Client, ledger: Ledger): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const records = []
    for (;;) {
      const more = await client.fetch(TOPIC, partition, records.length)
      if (more.length === 0) break
      records.push(...more)
    }
    expect(ledger.contradictions(partition, records)).toEqual([])
  }
}

interface Started {
  random: Random
  disk: Awaited<ReturnType<typeof smallDisk>>
  options: { dataDir: string; args: string[] }
  broker: BrokerProcess
  client: Client
  ledger: Ledger
}

/** A broker on a disk of its own, with a topic and nothing in it. */
async function startOnDisk(mebibytes: number, ballast: number): Promise<Started> {
  const random = testRandom()
  const disk = await smallDisk(mebibytes, ballast)
  const options = { dataDir: join(disk.path, 'data'), args: SETTINGS }
  const broker = await BrokerProcess.start(options)
  const client = await Client.connect({ port: broker.port })
  await client.createTopic(TOPIC, PARTITIONS)
  return { random, disk, options, broker, client, ledger: new Ledger() }
}

describe.runIf(canMount)('a full disk', () => {
  it('is an error to who appends; the broker lives, serves, and takes appends when there is room', async () => {
    const { random, disk, options, ledger, ...started } = await startOnDisk(24, 8)
    let { broker, client } = started

    for (let times = 0; times < 3; times++) {
      const refusals = await appendUntilRefused(client, ledger, random)
      expect(refusals.length).toBeGreaterThan(0)
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
      await expectAllThere(client, ledger)
    }
    // A refused append left nothing behind that a reader of the files would take for a record.
    for (let partition = 0; partition < PARTITIONS; partition++) {
      expect(ledger.contradictions(partition, await partitionRecords(options.dataDir, TOPIC, partition))).toEqual([])
    }
    // More than fit into what a large record had no room in.
    await expect(client.createTopic('another', 3000)).rejects.toBeInstanceOf(MyKafkaError)
    expect([...(await topicTree(options.dataDir)).keys()].sort()).not.toContain('another')

    await disk.makeRoom()
    expect(await appendUntilRefused(client, ledger, random, 24)).toEqual([])
    expect(await client.createTopic('another', 2)).toBe('created')
    await client.commitOffset('group', TOPIC, 0, 1)
    await expectAllThere(client, ledger)

    await broker.kill()
    broker = await BrokerProcess.start(options)
    client = await Client.connect({ port: broker.port })
    await expectAllThere(client, ledger)
    expect(await client.fetchOffset('group', TOPIC, 0)).toBe(1)
    expect(await appendUntilRefused(client, ledger, random, 16)).toEqual([])
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })

  it('loses nothing that was acknowledged where the broker is killed on it', async () => {
    const { random, disk, options, ledger, broker: full, client: writer } = await startOnDisk(24, 8)
    await appendUntilRefused(writer, ledger, random)
    const appending = appendUntilRefused(writer, ledger, random)
    await full.kill()
    const lastRefusals = await appending
    expect(lastRefusals.every((error) => isLostConnection(error) || error instanceof MyKafkaError)).toBe(true)

    await disk.makeRoom()
    const broker = await BrokerProcess.start(options)
    const client = await Client.connect({ port: broker.port })
    await expectAllThere(client, ledger)
    expect(await appendUntilRefused(client, ledger, random, 24)).toEqual([])
    await expectAllThere(client, ledger)
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })

  it('keeps everything over a stop and a start on it, which say what they could not write', async () => {
    const { random, disk, options, ledger, broker: full, client: writer } = await startOnDisk(16, 8)
    await appendUntilRefused(writer, ledger, random)
    await disk.fill()
    // The indexes that the stop trims may make just enough room for its checkpoint.
    const { code } = await full.stop()
    const said = /recovery-point-offset-checkpoint could not be written: ENOSPC/.test(full.output)
    expect({ code, said }).toEqual(code === 0 ? { code: 0, said: false } : { code: 1, said: true })
    await disk.fill()
    const still = await BrokerProcess.start(options)
    const reader = await Client.connect({ port: still.port })
    await expectAllThere(reader, ledger)
    await reader.close()
    await still.stop()

    await disk.makeRoom()
    const broker = await BrokerProcess.start(options)
    const client = await Client.connect({ port: broker.port })
    await expectAllThere(client, ledger)
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })
})
