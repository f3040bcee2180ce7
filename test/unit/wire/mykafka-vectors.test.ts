import { describe, expect, it } from 'vitest'
import { decodeStored, encodePacked } from '../../../src/log/record-codec.js'
import { API_KEY, apiName, isApiKey } from '../../../src/wire/mykafka/api-key.js'
import * as awaitCall from '../../../src/wire/mykafka/await.js'
import * as commitOffset from '../../../src/wire/mykafka/commit-offset.js'
import * as createTopic from '../../../src/wire/mykafka/create-topic.js'
import * as describeStorage from '../../../src/wire/mykafka/describe-storage.js'
import { encodeErrorResponse } from '../../../src/wire/mykafka/error-response.js'
import * as fetch from '../../../src/wire/mykafka/fetch.js'
import * as fetchOffset from '../../../src/wire/mykafka/fetch-offset.js'
import * as metadata from '../../../src/wire/mykafka/metadata.js'
import * as produce from '../../../src/wire/mykafka/produce.js'
import { frameVector, readVectors } from '../../support/vectors.js'

const TOPIC = 'reservation-events'
const GROUP = 'db-writer'
const hex = (bytes: Buffer): string => bytes.toString('hex')

const seen = new Set<string>()

/** The frame of a vector, and the same without its length prefix. */
function vector(name: string): { whole: string; frame: Buffer } {
  seen.add(name)
  const bytes = frameVector(name)
  return { whole: hex(bytes), frame: bytes.subarray(4) }
}

describe('the vectors of frames.json hold byte for byte', () => {
  it('CREATE_TOPIC', () => {
    const { whole, frame } = vector('CREATE_TOPIC reservation-events 3')
    expect(hex(createTopic.encodeRequest(TOPIC, 3))).toBe(whole)
    expect(createTopic.decodeRequest(frame)).toEqual({ topic: TOPIC, partitionCount: 3 })
    for (const status of ['OK', 'ALREADY_EXISTS', 'INVALID'] as const) {
      const response = vector(`CREATE_TOPIC response ${status}`)
      expect(hex(createTopic.encodeResponse(createTopic.CREATE_TOPIC_STATUS[status]))).toBe(response.whole)
      expect(createTopic.decodeResponse(response.frame)).toBe(createTopic.CREATE_TOPIC_STATUS[status])
    }
  })

  it('PRODUCE', () => {
    const { whole, frame } = vector('PRODUCE partition -1, three records (keys seat-A-1, null, empty)')
    const records = encodePacked([
      { key: 'seat-A-1', value: 'created' },
      { value: 'no key' },
      { key: '', value: Buffer.from('empty key') },
    ])
    expect(hex(produce.encodeRequest(TOPIC, -1, 3, records))).toBe(whole)
    expect(produce.decodeRequest(frame)).toEqual({ topic: TOPIC, partition: -1, recordCount: 3, records })
    expect(produce.decodeRequest(frame).records.buffer).toBe(frame.buffer)
    expect(produce.peekFirstKey(records)?.toString()).toBe('seat-A-1')
    const response = vector('PRODUCE response partition 2, base offset 100, count 3')
    expect(hex(produce.encodeResponse(0, 2, 100, 3))).toBe(response.whole)
    expect(produce.decodeResponse(response.frame)).toEqual({ errorCode: 0, partition: 2, baseOffset: 100, count: 3 })
  })

  it('FETCH', () => {
    const { whole, frame } = vector('FETCH partition 2, offset 100, max 1 MiB')
    expect(hex(fetch.encodeRequest(TOPIC, 2, 100, 1 << 20))).toBe(whole)
    expect(fetch.decodeRequest(frame)).toEqual({ topic: TOPIC, partition: 2, offset: 100, maxBytes: 1 << 20 })
    const response = vector('FETCH response, two records')
    const { errorCode, recordCount, records } = fetch.decodeResponse(response.frame)
    expect({ errorCode, recordCount }).toEqual({ errorCode: 0, recordCount: 2 })
    expect(hex(fetch.encodeResponseHead(0, 2, records.length)) + hex(records)).toBe(response.whole)
    expect(decodeStored(records, { checkCrcs: true })).toEqual([
      { offset: 100, timestamp: 1700000000000, key: Buffer.from('seat-A-1'), value: Buffer.from('created') },
      { offset: 101, timestamp: 1700000000000, key: null, value: Buffer.from('no key') },
    ])
  })

  it('COMMIT_OFFSET', () => {
    const { whole, frame } = vector('COMMIT_OFFSET db-writer reservation-events 2 102')
    expect(hex(commitOffset.encodeRequest(GROUP, TOPIC, 2, 102))).toBe(whole)
    expect(commitOffset.decodeRequest(frame)).toEqual({ group: GROUP, topic: TOPIC, partition: 2, offset: 102 })
    const response = vector('COMMIT_OFFSET response')
    expect(hex(commitOffset.encodeResponse(0))).toBe(response.whole)
    expect(commitOffset.decodeResponse(response.frame)).toBe(0)
  })

  it('FETCH_OFFSET', () => {
    const { whole, frame } = vector('FETCH_OFFSET db-writer reservation-events 2')
    expect(hex(fetchOffset.encodeRequest(GROUP, TOPIC, 2))).toBe(whole)
    expect(fetchOffset.decodeRequest(frame)).toEqual({ group: GROUP, topic: TOPIC, partition: 2 })
    for (const [name, offset] of [['102', 102] as const, ['not committed', -1] as const]) {
      const response = vector(`FETCH_OFFSET response ${name}`)
      expect(hex(fetchOffset.encodeResponse(0, offset))).toBe(response.whole)
      expect(fetchOffset.decodeResponse(response.frame)).toEqual({ errorCode: 0, offset })
    }
  })

  it('and none is left out', () => {
    const names = readVectors<{ name: string }[]>('frames.json').map(({ name }) => name)
    expect([...seen].sort()).toEqual(names.sort())
  })
})

describe('DESCRIBE_STORAGE', () => {
  it('asks for one topic, and is told JSON', () => {
    expect(hex(describeStorage.encodeRequest('ab'))).toBe('00000005' + '06' + '0002' + '6162')
    expect(describeStorage.decodeRequest(Buffer.from('0600026162', 'hex'))).toBe('ab')
    const json = '{"topic":"ab","now":1,"clockHeld":false,"partitions":[]}'
    const storage = { topic: 'ab', now: 1, clockHeld: false, partitions: [] }
    const payload = `060000000038${Buffer.from(json).toString('hex')}`
    expect(hex(describeStorage.encodeResponse(0, storage))).toBe(`0000003e${payload}`)
    expect(describeStorage.decodeResponse(Buffer.from(payload, 'hex'))).toEqual({ errorCode: 0, storage })
  })

  it.each([
    ['a length that lies', '00' + '00000003' + '7b7d'],
    ['no JSON', '00' + '00000002' + '7b7b'],
    ['null', '00' + '00000004' + '6e756c6c'],
    ['JSON of something else', '00' + '00000002' + '7b7d'],
    ['a negative length', '00' + 'ffffffff'],
  ])('refuses %s', (_, payload) => {
    expect(() => describeStorage.decodeResponse(Buffer.from(`06${payload}`, 'hex'))).toThrow(
      expect.objectContaining({ code: 'INVALID_RESPONSE' }),
    )
  })
})

describe('AWAIT', () => {
  const partition = '0002' + '6162' + '00000003' + '0000000100000000'

  it('asks for many partitions, and is told the places of some', () => {
    const partitions = [
      { topic: 'ab', partition: 3, offset: 2 ** 32 },
      { topic: 'c', partition: 0, offset: 0 },
    ]
    const payload = `${'07' + '000001f4' + '00000002'}${partition}${'0001' + '63' + '00000000' + '0000000000000000'}`
    expect(hex(awaitCall.encodeRequest(500, partitions))).toBe(`00000028${payload}`)
    expect(awaitCall.decodeRequest(Buffer.from(payload, 'hex'))).toEqual({ maxWaitMs: 500, partitions })
    const answer = '07' + '00' + '00000002' + '00000000' + '00000001'
    expect(hex(awaitCall.encodeResponse(0, [0, 1]))).toBe(`0000000e${answer}`)
    expect(awaitCall.decodeResponse(Buffer.from(answer, 'hex'))).toEqual({ errorCode: 0, indices: [0, 1] })
  })

  it.each([
    ['a negative wait', `ffffffff00000001${partition}`, 'maxWaitMs is -1'],
    ['a negative count', `00000000ffffffff${partition}`, 'count is -1'],
    ['more than follow', `0000000000000002${partition}`, 'more than the bytes left'],
    ['fewer than follow', `0000000000000000${partition}`, 'bytes too many'],
    ['more than there can be', `0000000000010001${'00'.repeat(65537 * 14)}`, 'more than 65536'],
  ])('refuses %s', (_, payload, reason) => {
    expect(() => awaitCall.decodeRequest(Buffer.from(`07${payload}`, 'hex'))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining(reason) }),
    )
  })
})

describe('METADATA', () => {
  it('asks for one topic or for all', () => {
    expect(hex(metadata.encodeRequest('ab'))).toBe('00000005' + '05' + '0002' + '6162')
    expect(hex(metadata.encodeRequest(null))).toBe('00000003' + '05' + '0000')
    expect(metadata.decodeRequest(Buffer.from('0500026162', 'hex'))).toBe('ab')
    expect(metadata.decodeRequest(Buffer.from('050000', 'hex'))).toBeNull()
  })

  it('tells the partitions of each topic with log start and high watermark', () => {
    const topics = [
      {
        topic: 'ab',
        partitions: [
          { logStartOffset: 1, highWatermark: 2 ** 32 },
          { logStartOffset: 0, highWatermark: 0 },
        ],
      },
      { topic: 'c', partitions: [] },
    ]
    const payload =
      '05' +
      '00' +
      '00000002' +
      '0002' +
      '6162' +
      '00000002' +
      '0000000000000001' +
      '0000000100000000' +
      '0000000000000000' +
      '0000000000000000' +
      '0001' +
      '63' +
      '00000000'
    expect(hex(metadata.encodeResponse(0, topics))).toBe(`${'00000035'}${payload}`)
    expect(metadata.decodeResponse(Buffer.from(payload, 'hex'))).toEqual({ errorCode: 0, topics })
  })
})

describe('a call that failed', () => {
  it('is answered in the form of its own response', () => {
    const answers = Object.values(API_KEY).map((apiKey) => hex(encodeErrorResponse(apiKey, 42)))
    expect(answers).toEqual([
      '00000012' + '00' + '2a' + 'ffffffff' + 'ffffffffffffffff' + '00000000',
      '00000006' + '01' + '2a' + '00000000',
      '00000002' + '02' + '02',
      '00000002' + '03' + '2a',
      '0000000a' + '04' + '2a' + 'ffffffffffffffff',
      '00000006' + '05' + '2a' + '00000000',
      '00000006' + '06' + '2a' + '00000000',
      '00000006' + '07' + '2a' + '00000000',
    ])
  })

  it('has its code as a signed byte', () => {
    expect(hex(encodeErrorResponse(API_KEY.COMMIT_OFFSET, -1))).toBe('00000002' + '03' + 'ff')
    expect(commitOffset.decodeResponse(Buffer.from('03ff', 'hex'))).toBe(-1)
  })

  it('tells the partition of a PRODUCE where that is known', () => {
    expect(produce.decodeResponse(encodeErrorResponse(API_KEY.PRODUCE, 10, 2).subarray(4)).partition).toBe(2)
  })

  it('says that a topic exists by status', () => {
    expect(hex(encodeErrorResponse(API_KEY.CREATE_TOPIC, 36))).toBe('00000002' + '02' + '01')
  })
})

describe('requests that cannot be', () => {
  const refused = (code: string, message: string | RegExp) =>
    expect.objectContaining({ code, message: expect.stringMatching(message) })

  it('are refused where a field is out of its bounds', () => {
    const produceFrame = (recordCount: string): Buffer => Buffer.from(`00${'000161'}${'00000000'}${recordCount}`, 'hex')
    expect(() => produce.decodeRequest(produceFrame('00000000'))).toThrow(refused('INVALID_RECORD', 'recordCount is 0'))
    expect(() => produce.decodeRequest(produceFrame('ffffffff'))).toThrow(
      refused('INVALID_RECORD', 'recordCount is -1'),
    )
    const fetchFrame = (offset: string, maxBytes: string): Buffer =>
      Buffer.from(`01${'000161'}${'00000000'}${offset}${maxBytes}`, 'hex')
    expect(() => fetch.decodeRequest(fetchFrame('0000000000000000', 'ffffffff'))).toThrow(
      refused('INVALID_REQUEST', 'FETCH request: maxBytes is -1'),
    )
    expect(() => fetch.decodeRequest(fetchFrame('0020000000000001', '00000001'))).toThrow(
      refused('INVALID_REQUEST', 'FETCH request: offset is beyond'),
    )
  })

  it('never ask for more than one response can hold', () => {
    const frame = fetch.encodeRequest('a', 0, 0, 0x7fffffff).subarray(4)
    const { maxBytes } = fetch.decodeRequest(frame)
    expect(fetch.encodeResponseHead(0, 1, maxBytes).readInt32BE(0)).toBe(0x7fffffff)
    expect(() => fetch.encodeResponseHead(0, 1, maxBytes + 1)).toThrow(refused('MESSAGE_TOO_LARGE', 'length prefix'))
  })

  it('are not encoded', () => {
    expect(() => metadata.encodeRequest('x'.repeat(0x8000))).toThrow(refused('INVALID_ARGUMENT', '32768 bytes'))
    expect(() => commitOffset.encodeRequest('g', 't', 0, 2 ** 53)).toThrow(refused('UNSAFE_INTEGER', 'no safe integer'))
    expect(() => fetch.encodeRequest('t', 0, Number.NaN, 1)).toThrow(refused('UNSAFE_INTEGER', 'NaN'))
  })

  it('have a first key that lies within the frame', () => {
    expect(produce.peekFirstKey(Buffer.from('ffffffff' + '00000000', 'hex'))).toBeNull()
    expect(produce.peekFirstKey(Buffer.from('00000000' + '00000000', 'hex'))).toEqual(Buffer.alloc(0))
    for (const bytes of ['', '000000', 'fffffffe', '00000003' + '6162', '7fffffff']) {
      expect(() => produce.peekFirstKey(Buffer.from(bytes, 'hex'))).toThrow(refused('INVALID_RECORD', 'first record'))
    }
  })
})

describe('the table of calls', () => {
  it('names each number', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8].map(apiName)).toEqual([
      'PRODUCE',
      'FETCH',
      'CREATE_TOPIC',
      'COMMIT_OFFSET',
      'FETCH_OFFSET',
      'METADATA',
      'DESCRIBE_STORAGE',
      'AWAIT',
      'call 8',
    ])
    expect([-1, 0, 7, 8, 255].map(isApiKey)).toEqual([false, true, true, false, false])
  })
})
