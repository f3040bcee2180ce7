import { expect, it } from 'vitest'
import { Client } from '../../../src/client/client.js'
import { openTransport } from '../../../src/client/connect.js'
import { Consumer } from '../../../src/client/consumer/consumer.js'
import type { ConsumerRecord } from '../../../src/client/consumer/topic-partition.js'
import type { Transport } from '../../../src/client/transport.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { CONNECTION_KINDS, type ConnectionKind, closedBehind, openedTransport } from '../../support/connected.js'
import { append } from '../../support/consumed.js'
import { type Random, testRandom } from '../../support/random.js'
import { relay } from '../../support/relay.js'
import { scaled } from '../../support/scale.js'
import { temporaryDirectory } from '../../support/temporary.js'

const QUICK = { retryBackoffMs: 1, retryBackoffMaxMs: 20, reconnectBackoffMs: 1, reconnectBackoffMaxMs: 20 }
const PARTITIONS = 4
const GROUP = 'g'

/** What a partition is known to hold, and where its reader is. */
interface Model {
  readonly partition: number
  end: number
  position: number
  paused: boolean
}

interface Subject {
  readonly transport: Transport
  /** Of whoever appends: it knows where the broker is. */
  client(): Promise<Client>
  /** Something happens to the broker. */
  disturb(): Promise<void>
}

async function subject(kind: ConnectionKind): Promise<Subject> {
  if (kind === 'dataDir') {
    const transport = await openedTransport(kind)
    return { transport, client: () => transport.client(), disturb: async () => {} }
  }
  const address = await relay()
  const dataDir = await temporaryDirectory()
  let broker: TestBroker
  let client: Client
  const start = async (): Promise<void> => {
    broker = await startBroker({ dataDir })
    address.to(broker.port)
    client = closedBehind(await Client.connect({ port: broker.port }))
  }
  await start()
  const brokers = `127.0.0.1:${address.port}`
  const transport = closedBehind(openTransport({ brokers, ...QUICK }))
  const disturb = async (): Promise<void> => {
    await broker.stop()
    await start()
  }
  return { transport, client: async () => client, disturb }
}

it.each(CONNECTION_KINDS)(
  'whatever is asked of it over %s, a consumer hands out what lies at its positions',
  async (kind) => {
    const random = testRandom()
    const { transport, client, disturb } = await subject(kind)
    await (await client()).createTopic('t', PARTITIONS)
    const consumer = closedBehind(
      new Consumer(transport, {
        groupId: GROUP,
        autoOffsetReset: 'earliest',
        autoCommitIntervalMs: 2,
        maxPollRecords: 20,
        maxPartitionFetchBytes: 1000,
        fetchMaxBytes: 3000,
      }),
    )
    await consumer.subscribe('t')
    const models = Array.from({ length: PARTITIONS }, (_, partition) => ({
      partition,
      end: 0,
      position: 0,
      paused: false,
    }))

    const actions: Record<string, () => unknown> = {
      append: async () => {
        const model = anyOf(random, models)
        const count = random.integer(1, 60)
        await append(await client(), 't', model.partition, count, model.end)
        model.end += count
      },
      poll: async () => see(models, await consumer.poll({ timeoutMs: random.integer(0, 3) })),
      seek: () => {
        const model = anyOf(random, models)
        model.position = random.integer(0, model.end)
        consumer.seek(at(model), model.position)
      },
      pause: () => {
        const model = anyOf(random, models)
        model.paused = true
        consumer.pause([at(model)])
      },
      resume: () => {
        const model = anyOf(random, models)
        model.paused = false
        consumer.resume([at(model)])
      },
      commit: () => consumer.commit(),
    }
    const names = [
      'append',
      'append',
      'poll',
      'poll',
      'poll',
      'poll',
      'poll',
      'seek',
      'pause',
      'resume',
      'resume',
      'commit',
    ]
    const rounds = scaled(210, 3000)
    for (let round = 1; round <= rounds; round++) {
      await actions[anyOf(random, names)]?.()
      if (round % (rounds / 3) === 0) await disturb()
      for (const model of models) expect(consumer.position(at(model))).toBe(model.position)
    }

    consumer.resume(models.map(at))
    for (const model of models) model.paused = false
    while (models.some(({ position, end }) => position < end)) see(models, await consumer.poll({ timeoutMs: 30_000 }))
    expect(await consumer.poll({ timeoutMs: 0 })).toEqual([])
    await consumer.close()
    for (const { partition, end } of models) expect(await (await client()).fetchOffset(GROUP, 't', partition)).toBe(end)
    expect(consumer.statistics().prefetchedBytes).toBe(0)
  },
)

const at = ({ partition }: Model): { topic: string; partition: number } => ({ topic: 't', partition })

function anyOf<T>(random: Random, list: readonly T[]): T {
  return list[random.integer(0, list.length - 1)] as T
}

/** Each record is the next of its partition. */
function see(models: readonly Model[], records: readonly ConsumerRecord[]): void {
  for (const { partition, offset, value } of records) {
    const model = models[partition] as Model
    expect({ offset, value: String(value), paused: model.paused }).toEqual({
      offset: model.position,
      value: String(model.position),
      paused: false,
    })
    model.position++
  }
}
