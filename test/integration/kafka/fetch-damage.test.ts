import { open } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import { partitionFiles } from '../../support/data-directory.js'
import { fetch, makeTopic, produce, sentBatch, storedBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { temporaryDirectory } from '../../support/temporary.js'

const CORRUPT_MESSAGE = 2
const one = sentBatch('one record')
const sixty = sentBatch('60 records')

it('a damaged batch is told as such, and what lies around it is served, other partitions too', async () => {
  const dataDir = await temporaryDirectory()
  const first = await startBroker({ dataDir })
  const writer = await KafkaPeer.connect(first.port)
  for (const topic of ['t', 'u']) {
    await makeTopic(writer, topic)
    for (const batch of [one, sixty, one]) await produce(writer, topic, batch)
  }
  await first.stop()
  const [path] = await partitionFiles(dataDir, 't', 0, '.log')
  const file = await open(path as string, 'r+')
  await file.write(Buffer.from('damage'), 0, 6, one.length + 500)
  await file.close()

  const broker = await startBroker({ dataDir })
  const peer = await KafkaPeer.connect(broker.port)
  const both = (offset: number) => [
    { topic: 't', offset },
    { topic: 'u', offset },
  ]
  const [before] = await fetch(peer, both(0), { minBytes: 1, maxWaitMs: 2 ** 31 - 1 })
  expect(before).toMatchObject({ errorCode: 0, records: storedBatch(one, 0) })
  for (const offset of [1, 30, 60]) {
    const [damaged, other] = await fetch(peer, both(offset), { minBytes: 1 << 20, maxWaitMs: 2 ** 31 - 1 })
    expect(damaged).toMatchObject({ errorCode: CORRUPT_MESSAGE, records: Buffer.alloc(0) })
    expect(other).toMatchObject({ errorCode: 0, records: Buffer.concat([storedBatch(sixty, 1), storedBatch(one, 61)]) })
  }
  const [behind] = await fetch(peer, both(61))
  expect(behind).toMatchObject({ errorCode: 0, records: storedBatch(one, 61) })
})
