import { describe, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import { initProducerIdApi } from '../../../src/wire/kafka/generated/init-producer-id.js'
import { startBroker } from '../../support/broker.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const IDEMPOTENT = { transactionalId: null, transactionTimeoutMs: 2147483647, producerId: -1, producerEpoch: -1 }

describe.each([0, 1, 2, 3, 4, 5])('InitProducerId %i', (version) => {
  it('gives each producer an id of its own', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const first = await peer.call(initProducerIdApi, version, IDEMPOTENT)
    const second = await peer.call(initProducerIdApi, version, IDEMPOTENT)
    expect(first).toMatchObject({ errorCode: 0, producerEpoch: 0 })
    expect(second).toMatchObject({ errorCode: 0, producerEpoch: 0 })
    expect(second.producerId).not.toBe(first.producerId)
  })

  it('says that there are no transactions', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const answer = await peer.call(initProducerIdApi, version, { ...IDEMPOTENT, transactionalId: 'tx' })
    expect(answer).toMatchObject({ errorCode: KAFKA_ERRORS.INVALID_REQUEST.wire, producerId: -1, producerEpoch: -1 })
  })
})
