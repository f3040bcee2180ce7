import { beforeEach, describe, expect, it } from 'vitest'
import { apiVersionsApi } from '../../../../src/wire/kafka/generated/api-versions.js'
import { startBroker, type TestBroker } from '../../../support/broker.js'
import { makeTopic, produce, sentBatch } from '../../../support/kafka-calls.js'
import { KafkaPeer } from '../../../support/kafka-peer.js'
import { Peer } from '../../../support/peer.js'
import { testRandom } from '../../../support/random.js'
import { readVectors } from '../../../support/vectors.js'

interface MessageVector {
  readonly version: number
  readonly direction: string
  readonly case: string
  readonly header: string
  readonly bytes: string
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

/** Whole requests of an API as the Java client writes them, of the oldest and the newest version. */
function requestsOf(api: string): [oldest: Buffer, newest: Buffer] {
  const { vectors } = readVectors<{ vectors: MessageVector[] }>(`kafka/${api}.json`)
  const full = vectors.filter((vector) => vector.direction === 'request' && vector.case === 'full')
  const whole = (vector: MessageVector | undefined) =>
    Buffer.concat([hex(vector?.header ?? ''), hex(vector?.bytes ?? '')])
  return [whole(full.at(0)), whole(full.at(-1))]
}

const framed = (payload: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(payload.length)
  return Buffer.concat([length, payload])
}

let broker: TestBroker

/** Sends it on a connection of its own, whose sending side ends there. Resolves when the broker is done with it. */
async function send(payload: Buffer): Promise<void> {
  const peer = await Peer.connect(broker.port)
  peer.send(framed(payload))
  peer.socket.end()
  await peer.closed
  peer.socket.destroy()
}

async function sendAll(payloads: Buffer[]): Promise<void> {
  const queue = [...payloads]
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await send(next)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

/** It serves, it holds no connection, and nothing was wrong on its side. */
async function expectUnhurt(): Promise<void> {
  const peer = await KafkaPeer.connect(broker.port)
  const answer = await peer.call(apiVersionsApi, 3, { clientSoftwareName: 'test', clientSoftwareVersion: '1' })
  expect(answer.errorCode).toBe(0)
  expect(await produce(peer, 'topic', sentBatch('one record'))).toMatchObject({ errorCode: 0 })
  peer.peer.socket.destroy()
  await expect.poll(() => broker.broker.connectionCount).toBe(1)
  expect(broker.logger.messages('error')).toEqual([])
}

/** But for those by which random bytes use up a machine: they make partitions by the ten thousand. */
const APIS = [
  'ApiVersions',
  'DeleteGroups',
  'DeleteRecords',
  'DeleteTopics',
  'DescribeConfigs',
  'DescribeGroups',
  'Fetch',
  'FindCoordinator',
  'Heartbeat',
  'IncrementalAlterConfigs',
  'InitProducerId',
  'JoinGroup',
  'LeaveGroup',
  'ListGroups',
  'ListOffsets',
  'Metadata',
  'OffsetCommit',
  'OffsetDelete',
  'OffsetFetch',
  'OffsetForLeaderEpoch',
  'Produce',
  'SyncGroup',
]

/** Each request cut off at every `step`th byte, and so many `lies` of each of its versions. */
export function describeMalformed({ step, lies }: { step: number; lies: number }): void {
  beforeEach(async () => {
    broker = await startBroker()
    const peer = await KafkaPeer.connect(broker.port)
    await makeTopic(peer, 'topic')
    await produce(peer, 'topic', sentBatch('one record'))
  })

  describe.each(APIS)('%s', (api) => {
    const requests = requestsOf(api)

    it('cut off', async () => {
      const [, request] = requests
      // A frame shorter than three bytes has no wire.
      const first = testRandom().integer(3, 2 + step)
      const count = Math.ceil((request.length - first) / step)
      await sendAll(Array.from({ length: count }, (_, i) => request.subarray(0, first + i * step)))
      await expectUnhurt()
    })

    it('with bytes that lie', async () => {
      const random = testRandom()
      const header = 8
      const lying = requests.flatMap((request) =>
        Array.from({ length: lies }, () => {
          const lie = Buffer.from(request)
          for (let i = random.integer(1, 3); i > 0; i--) {
            const at = random.integer(header, lie.length - 1)
            const value = random.pick([0, 1, 0x7f, 0x80, 0xff, random.integer(0, 255)])
            lie.fill(value, at, Math.min(lie.length, at + random.pick([1, 1, 2, 4])))
          }
          return lie
        }),
      )
      await sendAll(lying)
      await expectUnhurt()
    })

    it('with more behind its end', async () => {
      for (const more of [1, 7, 1000]) {
        for (const request of requests) await send(Buffer.concat([request, Buffer.alloc(more)]))
      }
      await expectUnhurt()
    })
  })

  it('random bytes under a right header', async () => {
    const random = testRandom()
    const payloads = Array.from({ length: 500 }, () => {
      const header = Buffer.alloc(8)
      header.writeInt16BE(random.integer(0, 80), 0)
      header.writeInt16BE(random.integer(-1, 15), 2)
      return Buffer.concat([header, random.bytes(random.integer(0, 100))])
    })
    // Not such a one that makes topics by the thousand.
    await sendAll(payloads.filter((payload) => ![19, 37].includes(payload.readInt16BE(0))))
    await expectUnhurt()
  })
}
