import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../src/errors.js'
import { createTopicsApi } from '../../src/wire/kafka/generated/create-topics.js'
import { joinGroupApi } from '../../src/wire/kafka/generated/join-group.js'
import { offsetCommitApi } from '../../src/wire/kafka/generated/offset-commit.js'
import { syncGroupApi } from '../../src/wire/kafka/generated/sync-group.js'
import { BrokerProcess } from '../support/broker-process.js'
import { behindEachTest } from '../support/clean-up.js'
import { COMMAND } from '../support/cli-process.js'
import { subscription } from '../support/groups.js'
import { fetch, makeTopicWith, produce, sentBatch } from '../support/kafka-calls.js'
import { KafkaPeer } from '../support/kafka-peer.js'
import { Peer } from '../support/peer.js'
import { canMount, type SmallDisk, smallDisk } from '../support/small-disk.js'

const STORAGE = KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire
const NOT_AVAILABLE = KAFKA_ERRORS.COORDINATOR_NOT_AVAILABLE.wire
const GROUP = { groupId: 'g', groupInstanceId: null, protocolType: 'consumer' }

/** Calls until the answer is an error, which it returns. What is small may find room in a page that is begun. */
async function firstError(call: () => Promise<number>): Promise<number> {
  for (;;) {
    const errorCode = await call()
    if (errorCode !== 0) return errorCode
  }
}

const commit = async (peer: KafkaPeer): Promise<number> => {
  const partition = {
    partitionIndex: 0,
    committedOffset: 1,
    committedLeaderEpoch: -1,
    committedMetadata: 'm'.repeat(4000),
  }
  const { topics } = await peer.call(offsetCommitApi, 8, {
    groupId: 'another',
    generationIdOrMemberEpoch: -1,
    memberId: '',
    groupInstanceId: null,
    retentionTimeMs: -1n,
    topics: [{ name: 't', partitions: [partition] }],
  })
  return topics[0]?.partitions[0]?.errorCode ?? -1
}

const create = async (peer: KafkaPeer): Promise<number> => {
  const topic = { name: 'made', numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }
  const { topics } = await peer.call(createTopicsApi, 7, { topics: [topic], timeoutMs: 0, validateOnly: false })
  return topics[0]?.errorCode ?? -1
}

/** A member that is alone in its group. */
const joinGroup = (peer: KafkaPeer, memberId: string) =>
  peer.call(joinGroupApi, 9, {
    ...GROUP,
    sessionTimeoutMs: 60_000,
    rebalanceTimeoutMs: 60_000,
    memberId,
    protocols: [{ name: 'range', metadata: subscription('t') }],
    reason: null,
  })

/** It joins and asks for its assignment. */
async function joinAndSync(peer: KafkaPeer, memberId: string): Promise<number> {
  const joined = await joinGroup(peer, memberId)
  if (joined.errorCode !== 0) return joined.errorCode
  const assignments = [{ memberId, assignment: Buffer.alloc(100_000) }]
  const { generationId = -1 } = joined
  const sync = { ...GROUP, generationId, memberId, protocolName: 'range', assignments }
  return (await peer.call(syncGroupApi, 5, sync)).errorCode
}

async function startOn(disk: SmallDisk): Promise<{ broker: BrokerProcess; peer: KafkaPeer }> {
  const broker = await BrokerProcess.start({ dataDir: join(disk.path, 'data') })
  const peer = await KafkaPeer.connect(broker.port)
  await makeTopicWith(peer, 't', { 'segment.bytes': String(1 << 20) })
  return { broker, peer }
}

describe.runIf(canMount)('a full disk, as Kafka clients see it', () => {
  it('is an error behind which they try again, in each of the calls that write', async () => {
    const disk = await smallDisk(16, 8)
    const { broker, peer } = await startOn(disk)
    const batch = sentBatch('one record')
    await disk.fill()
    let written = 0
    const send = async (): Promise<number> => {
      const { errorCode } = await produce(peer, 't', batch)
      if (errorCode === 0) written++
      return errorCode
    }
    expect(await firstError(send)).toBe(STORAGE)
    expect(await firstError(() => commit(peer))).toBe(NOT_AVAILABLE)
    expect(await create(peer)).toBe(STORAGE)
    const { memberId } = await joinGroup(peer, '')
    expect(await joinAndSync(peer, memberId)).toBe(NOT_AVAILABLE)
    expect(await fetch(peer, { topic: 't', offset: 0 })).toMatchObject([{ errorCode: 0, highWatermark: written }])
    const failed = () => new Set(broker.log.filter(({ msg }) => msg === 'a request failed').map(({ call }) => call))
    await expect.poll(failed).toEqual(new Set(['Produce', 'OffsetCommit', 'CreateTopics']))
    expect(broker.output).toContain('ENOSPC')

    await disk.makeRoom()
    expect(await send()).toBe(0)
    expect(await commit(peer)).toBe(0)
    expect(await create(peer)).toBe(0)
    expect(await joinAndSync(peer, memberId)).toBe(0)
    expect(await fetch(peer, { topic: 't', offset: 0 })).toMatchObject([{ errorCode: 0, highWatermark: written }])
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })

  it('may hold the log of the broker too, which goes on when there is room', async () => {
    const disk = await smallDisk(16, 8)
    const path = join(disk.path, 'log')
    const output = await open(path, 'w')
    const args = [COMMAND, 'serve', '--data-dir', join(disk.path, 'data'), '--port', '0']
    const child = spawn(process.execPath, args, { stdio: ['ignore', output.fd, output.fd] })
    behindEachTest(() => child.kill('SIGKILL'))
    await output.close()
    const text = () => readFile(path, 'utf8')
    await expect.poll(text).toMatch(/^listening on /m)
    const port = Number(/^listening on 127\.0\.0\.1:(\d+)$/m.exec(await text())?.[1])
    const refused = async (): Promise<void> => {
      const peer = await Peer.connect(port)
      await peer.send(Buffer.from('GET / HTTP/1.1\r\n\r\n')).closed
    }
    await refused()
    await expect.poll(text).toContain('closing a connection')
    await disk.fill()
    // More than the rest of a page.
    for (let i = 0; i < 60; i++) await refused()
    const peer = await KafkaPeer.connect(port)
    expect(await create(peer)).toBe(STORAGE)
    await disk.makeRoom()
    expect(await create(peer)).toBe(0)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await text()).toMatch(/"stopped"/)
  })
})
