import { describe, expect, it, onTestFinished } from 'vitest'
import { Client, type ClientOptions } from '../../../src/client/index.js'
import { scriptedBroker } from '../../support/scripted-broker.js'
import { frameVector } from '../../support/vectors.js'

const TOPIC = 'reservation-events'
const GROUP = 'db-writer'
const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex')

/** A client of a broker that answers each request with the next of `responses`. */
async function clientOf(
  responses: Buffer[],
  options: ClientOptions = {},
): Promise<{ client: Client; requests(): string }> {
  let all: Buffer = Buffer.alloc(0)
  let position = 0
  const left = [...responses]
  const port = await scriptedBroker((socket, received) => {
    all = received
    while (received.length >= position + 4 && received.length >= position + 4 + received.readInt32BE(position)) {
      position += 4 + received.readInt32BE(position)
      const response = left.shift()
      if (response !== undefined) socket.write(response)
    }
  })
  const client = await Client.connect({ port, ...options })
  onTestFinished(() => client.close())
  return { client, requests: () => all.toString('hex') }
}

describe('a client speaks the vectors', () => {
  it('createTopic', async () => {
    const { client, requests } = await clientOf(
      ['OK', 'ALREADY_EXISTS', 'INVALID'].map((status) => frameVector(`CREATE_TOPIC response ${status}`)),
    )
    expect(await client.createTopic(TOPIC, 3)).toBe('created')
    expect(requests()).toBe(frameVector('CREATE_TOPIC reservation-events 3').toString('hex'))
    expect(await client.createTopic(TOPIC, 3)).toBe('exists')
    await expect(client.createTopic(TOPIC, 3)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('produce', async () => {
    const { client, requests } = await clientOf([frameVector('PRODUCE response partition 2, base offset 100, count 3')])
    const records = [{ key: 'seat-A-1', value: 'created' }, { value: 'no key' }, { key: '', value: 'empty key' }]
    expect(await client.produce(TOPIC, records)).toEqual({ partition: 2, baseOffset: 100, count: 3 })
    const request = frameVector('PRODUCE partition -1, three records (keys seat-A-1, null, empty)')
    expect(requests()).toBe(request.toString('hex'))
  })

  it('fetch', async () => {
    const { client, requests } = await clientOf([frameVector('FETCH response, two records')])
    expect(await client.fetch(TOPIC, 2, 100)).toEqual([
      { offset: 100, timestamp: 1700000000000, key: Buffer.from('seat-A-1'), value: Buffer.from('created') },
      { offset: 101, timestamp: 1700000000000, key: null, value: Buffer.from('no key') },
    ])
    expect(requests()).toBe(frameVector('FETCH partition 2, offset 100, max 1 MiB').toString('hex'))
  })

  it('fetchRaw', async () => {
    const response = frameVector('FETCH response, two records')
    const { client } = await clientOf([response])
    expect(await client.fetchRaw(TOPIC, 2, 100)).toEqual({ recordCount: 2, records: response.subarray(10) })
  })

  it('commitOffset', async () => {
    const { client, requests } = await clientOf([frameVector('COMMIT_OFFSET response')])
    expect(await client.commitOffset(GROUP, TOPIC, 2, 102)).toBeUndefined()
    expect(requests()).toBe(frameVector('COMMIT_OFFSET db-writer reservation-events 2 102').toString('hex'))
  })

  it('fetchOffset', async () => {
    const { client, requests } = await clientOf([
      frameVector('FETCH_OFFSET response 102'),
      frameVector('FETCH_OFFSET response not committed'),
    ])
    expect(await client.fetchOffset(GROUP, TOPIC, 2)).toBe(102)
    expect(requests()).toBe(frameVector('FETCH_OFFSET db-writer reservation-events 2').toString('hex'))
    expect(await client.fetchOffset(GROUP, TOPIC, 2)).toBeNull()
  })
})

describe('metadata', () => {
  const response = hex(
    '00000027' + '05' + '00' + '00000001' + '0001' + '61' + '00000001' + '0000000000000002' + '0000000000000009',
  )
  response.writeInt32BE(response.length - 4, 0)

  it('describes a topic or all', async () => {
    const { client, requests } = await clientOf([response, response])
    const described = [{ topic: 'a', partitions: [{ logStartOffset: 2, highWatermark: 9 }] }]
    expect(await client.metadata('a')).toEqual(described)
    expect(await client.metadata()).toEqual(described)
    expect(requests()).toBe('00000004' + '05' + '0001' + '61' + '00000003' + '05' + '0000')
  })

  it('does not ask for all where the name is empty', async () => {
    const { client } = await clientOf([])
    await expect(client.metadata('')).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' })
  })
})

describe("a broker's refusal", () => {
  it("is an error with Kafka's name, and the connection goes on", async () => {
    const { client } = await clientOf([
      hex('00000012' + '00' + '03' + 'ffffffff' + 'ffffffffffffffff' + '00000000'),
      hex('00000006' + '01' + '01' + '00000000'),
      hex('00000002' + '03' + '19'),
      hex('0000000a' + '04' + 'ff' + 'ffffffffffffffff'),
      hex('00000006' + '05' + '03' + '00000000'),
      hex('00000002' + '03' + '00'),
    ])
    await expect(client.produce('a', [{ value: '' }])).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
    await expect(client.fetch('a', 0, 7)).rejects.toMatchObject({
      code: 'OFFSET_OUT_OF_RANGE',
      message: expect.stringMatching(/^FETCH of a-0 at 7: /),
    })
    await expect(client.commitOffset('g', 'a', 0, 7)).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER_ID' })
    await expect(client.fetchOffset('g', 'a', 0)).rejects.toMatchObject({ code: 'UNKNOWN_SERVER_ERROR' })
    await expect(client.metadata('a')).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
    await client.commitOffset('g', 'a', 0, 7)
  })

  it('to create a topic is explained as far as can be known', async () => {
    const invalid = frameVector('CREATE_TOPIC response INVALID')
    const { client } = await clientOf([invalid, invalid, hex('00000002' + '02' + '38')])
    await expect(client.createTopic('a/b', 1)).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' })
    await expect(client.createTopic('a', 0)).rejects.toMatchObject({ code: 'INVALID_PARTITIONS' })
    await expect(client.createTopic('a', 1)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  })
})

describe('records that are not right', () => {
  const response = frameVector('FETCH response, two records')
  const flipped = Buffer.from(response)
  flipped[flipped.length - 10] = 0x4f
  const miscounted = Buffer.from(response)
  miscounted.writeInt32BE(3, 6)

  it('are CORRUPT_MESSAGE for the one who asked, and the connection goes on', async () => {
    const { client } = await clientOf([flipped, miscounted, response])
    await expect(client.fetch('a', 0, 100)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    await expect(client.fetch('a', 0, 100)).rejects.toMatchObject({
      code: 'CORRUPT_MESSAGE',
      message: 'FETCH says 3 records, 2 came',
    })
    expect(await client.fetch('a', 0, 100)).toHaveLength(2)
  })

  it('are taken as they are where CRCs are not checked', async () => {
    const { client } = await clientOf([flipped], { checkCrcs: false })
    expect((await client.fetch('a', 0, 100))[1]?.value?.toString()).not.toBe('no key')
  })
})

describe('arguments that cannot be', () => {
  it('are refused before anything is sent', async () => {
    const { client, requests } = await clientOf([])
    const invalid = { code: 'INVALID_ARGUMENT' }
    await expect(client.produce('a', [])).rejects.toMatchObject(invalid)
    await expect(client.produce('a', [{ value: 5 as unknown as string }])).rejects.toMatchObject(invalid)
    await expect(client.produce('a', [{ value: '' }], { partition: -2 })).rejects.toMatchObject(invalid)
    await expect(client.produce('a'.repeat(40_000), [{ value: '' }])).rejects.toMatchObject(invalid)
    await expect(client.fetch('a', 1.5, 0)).rejects.toMatchObject(invalid)
    await expect(client.fetch('a', 0, 2 ** 53)).rejects.toMatchObject(invalid)
    await expect(client.fetch('a', 0, 0, { maxBytes: -1 })).rejects.toMatchObject(invalid)
    await expect(client.createTopic('a', Number.NaN)).rejects.toMatchObject(invalid)
    await expect(client.commitOffset('g', 'a', -1, 0)).rejects.toMatchObject(invalid)
    await expect(client.fetchOffset('g', 'a', 2 ** 31)).rejects.toMatchObject(invalid)
    const large = Buffer.alloc(1 << 20)
    const records = Array.from({ length: 100 }, () => ({ value: large }))
    await expect(client.produce('a', records)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
    expect(requests()).toBe('')
    expect(client.closed).toBe(false)
  })
})
