import { describe, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { produce } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { openLogs } from '../../support/log-manager.js'
import { batchVector } from '../../support/record-batches.js'
import { temporaryDirectory } from '../../support/temporary.js'

async function startCompacted(recordFormat: 'mykafka' | 'kafka') {
  const dataDir = await temporaryDirectory()
  const logs = await openLogs(dataDir)
  await logs.createTopic('t', 1, { 'cleanup.policy': 'compact' }, recordFormat)
  await logs.close()
  const { port, connect } = await startBroker({ dataDir })
  return { mykafka: await connect(), kafka: await KafkaPeer.connect(port) }
}

describe.each(['mykafka', 'kafka'] as const)('a compacted topic of the format %s', (recordFormat) => {
  it('takes no record without a key, over either wire, however it is compressed', async () => {
    const { mykafka, kafka } = await startCompacted(recordFormat)
    const refused = { errorCode: KAFKA_ERRORS.INVALID_RECORD.wire, baseOffset: -1 }
    for (const codec of [0, 1, 2, 3, 4]) {
      expect(await produce(kafka, 't', batchVector({ set: 'plain', codec }).bytes)).toMatchObject(refused)
    }
    const call = async (...records: { key?: string; value: string | null }[]) =>
      frames.readProduced(await mykafka.call(frames.produce('t', 0, records)))
    expect(await call({ value: 'no key' })).toMatchObject(refused)
    expect(await call({ key: 'k', value: 'v' }, { value: 'no key' })).toMatchObject(refused)
    expect(await call({ key: 'k', value: 'v' }, { key: '', value: null })).toMatchObject({
      errorCode: 0,
      baseOffset: 0,
    })
    expect(await produce(kafka, 't', batchVector({ set: 'large', codec: 3 }).bytes)).toMatchObject({ baseOffset: 2 })
  })
})
