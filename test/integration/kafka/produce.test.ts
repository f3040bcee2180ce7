import { beforeEach, describe, expect, it } from 'vitest'
import { produceApi } from '../../../src/wire/kafka/generated/produce.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import {
  fetch,
  makeTopic,
  produce,
  produceRequest,
  recordCount,
  sentBatch,
  storedBatch,
} from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const ERROR = {
  corruptMessage: 2,
  unknownTopic: 3,
  messageTooLarge: 10,
  invalidTopic: 17,
  invalidRequiredAcks: 21,
  invalidTimestamp: 32,
  invalidTxnState: 48,
  unsupportedCompression: 76,
  invalidRecord: 87,
} as const

let broker: TestBroker
let peer: KafkaPeer

beforeEach(async () => {
  broker = await startBroker()
  peer = await KafkaPeer.connect(broker.port)
  await makeTopic(peer, 't')
})

const one = sentBatch('one record')
const sixty = sentBatch('60 records')
const NOT_WRITTEN = { baseOffset: -1, logAppendTimeMs: -1, recordErrors: [] }

async function expectLog(...batches: Buffer[]): Promise<void> {
  let offset = 0
  const stored = batches.map((batch) => {
    const from = offset
    offset += recordCount(batch)
    return storedBatch(batch, from)
  })
  const [partition] = await fetch(peer, { topic: 't', offset: 0 })
  expect(partition).toMatchObject({ errorCode: 0, highWatermark: offset })
  expect(partition?.records.toString('hex')).toBe(Buffer.concat(stored).toString('hex'))
}

describe.each([3, 4, 5, 6, 7, 8, 9, 10, 11])('Produce %i', (version) => {
  it.each([1, -1])('with acks=%i stores the batch as it came', async (acks) => {
    const answer = { index: 0, errorCode: 0, logAppendTimeMs: -1, recordErrors: [], errorMessage: null }
    const logStartOffset = version >= 5 ? 0 : -1
    const currentLeader = expect.toBeOneOf([null, undefined, { leaderId: -1, leaderEpoch: -1 }])
    expect(await produce(peer, 't', one, { version, acks })).toEqual({
      ...answer,
      baseOffset: 0,
      logStartOffset,
      currentLeader,
    })
    expect(await produce(peer, 't', sixty, { version, acks })).toMatchObject({
      ...answer,
      baseOffset: 1,
      logStartOffset,
    })
    expect(await produce(peer, 't', one, { version, acks })).toMatchObject({
      ...answer,
      baseOffset: 61,
      logStartOffset,
    })
    await expectLog(one, sixty, one)
  })
})

it.each(['gzip', 'snappy', 'lz4', 'zstd', 'nulls, headers, times out of order'])(
  'stores %s untouched',
  async (name) => {
    const batch = sentBatch(name)
    expect(await produce(peer, 't', batch)).toMatchObject({ errorCode: 0, baseOffset: 0 })
    await expectLog(batch)
  },
)

describe('acks=0', () => {
  it('has no response, and what follows on the connection finds the records', async () => {
    for (let i = 0; i < 3; i++) peer.send(produceApi, 9, produceRequest({ t: [one] }, 0))
    await expectLog(one, one, one)
  })

  it('ends the connection where it fails, as the only way to tell', async () => {
    peer.send(produceApi, 9, produceRequest({ nothing: [one] }, 0))
    await peer.peer.closed
    expect(broker.logger.messages('warn')).toEqual([expect.stringMatching(/acks=0 failed: there is no topic nothing/)])
  })
})

it.each([2, -2, 100])('acks=%i is refused', async (acks) => {
  expect(await produce(peer, 't', one, { acks })).toMatchObject({
    ...NOT_WRITTEN,
    errorCode: ERROR.invalidRequiredAcks,
  })
  await expectLog()
})

it('the error of one partition does not concern the others', async () => {
  await (await broker.connect()).call(frames.createTopic('ours', 1))
  const bad = Buffer.from(one)
  bad[30] = (bad[30] as number) ^ 1
  const { responses } = await peer.call(
    produceApi,
    9,
    produceRequest({ nothing: [one], t: [one, one], __consumer_offsets: [one], 'also nothing': [bad] }),
  )
  expect(
    responses.map(({ name, partitionResponses }) => [name, partitionResponses.map((each) => each.errorCode)]),
  ).toEqual([
    ['nothing', [ERROR.unknownTopic]],
    ['t', [0, ERROR.unknownTopic]],
    ['__consumer_offsets', [ERROR.invalidTopic]],
    ['also nothing', [ERROR.unknownTopic]],
  ])
  await expectLog(one)
})

describe('a batch that is not right is refused, and the next is not', () => {
  const changed = (change: (batch: Buffer) => void): Buffer => {
    const batch = Buffer.from(one)
    change(batch)
    return batch
  }
  const cases: Record<string, [batch: Buffer | null, error: number]> = {
    'none at all': [null, ERROR.invalidRecord],
    'a wrong CRC': [changed((batch) => batch.writeUInt32BE(1, 17)), ERROR.corruptMessage],
    'a byte that changed': [changed((batch) => batch.writeUInt8(0x77, batch.length - 2)), ERROR.corruptMessage],
    'magic 1': [changed((batch) => batch.writeUInt8(1, 16)), ERROR.invalidRecord],
    'two batches': [Buffer.concat([one, one]), ERROR.invalidRecord],
    'a control batch': [sentBatch('control'), ERROR.invalidRecord],
    'a transactional batch': [sentBatch('transactional'), ERROR.invalidTxnState],
  }
  it.each(Object.entries(cases))('%s', async (_, [batch, errorCode]) => {
    const answer = await produce(peer, 't', batch)
    expect(answer).toMatchObject({ ...NOT_WRITTEN, errorCode, errorMessage: expect.any(String) })
    expect(await produce(peer, 't', one)).toMatchObject({ errorCode: 0, baseOffset: 0 })
    await expectLog(one)
  })

  it('one cut off anywhere', async () => {
    for (let length = 0; length < one.length; length++) {
      const { errorCode } = await produce(peer, 't', one.subarray(0, length))
      expect([ERROR.corruptMessage, ERROR.invalidRecord], `${length} bytes`).toContain(errorCode)
    }
    await expectLog()
  })
})

it('zstd needs version 7', async () => {
  const batch = sentBatch('zstd')
  expect(await produce(peer, 't', batch, { version: 6 })).toMatchObject({ errorCode: ERROR.unsupportedCompression })
  expect(await produce(peer, 't', batch, { version: 7 })).toMatchObject({ errorCode: 0 })
})

it('many requests on one connection are answered in order', async () => {
  const count = 200
  for (let i = 0; i < count; i++) peer.send(produceApi, 9, produceRequest({ t: [i % 3 === 0 ? sixty : one] }))
  const answers = await peer.peer.frames(count)
  expect(answers.map((answer) => answer.readInt32BE(4))).toEqual(Array.from({ length: count }, (_, i) => i + 2))
  await expectLog(...Array.from({ length: count }, (_, i) => (i % 3 === 0 ? sixty : one)))
})
