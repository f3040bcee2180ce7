import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { apiVersionsApi } from '../../../src/wire/kafka/generated/api-versions.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

let broker: TestBroker

beforeEach(async () => {
  broker = await startBroker()
})

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

/** Api key 18, correlation id 7, client id "p"; then, from version 3 on, tagged fields, software name and version. */
const APIS_0 = hex('0000000b 0012 0000 00000007 0001 70')
const APIS_3 = hex('00000012 0012 0003 00000007 0001 70 00 02 6e 03 3031 00')
const APIS_99 = hex('00000012 0012 0063 00000007 0001 70 00 02 6e 03 3031 00')

describe('ApiVersions', () => {
  it('of version 0 tells what is served', async () => {
    const answer = await (await broker.connect()).call(APIS_0)
    expect(answer.readInt32BE(4)).toBe(7)
    expect(answer.readInt16BE(8)).toBe(0)
    const count = answer.readInt32BE(10)
    expect(answer.length).toBe(14 + 6 * count)
    const ranges = Array.from({ length: count }, (_, i) => [0, 2, 4].map((at) => answer.readInt16BE(14 + 6 * i + at)))
    expect(ranges).toContainEqual([18, 0, 4])
  })

  it('of version 3 has no tagged fields in its header', async () => {
    const answer = await (await broker.connect()).call(APIS_3)
    expect(answer.readInt32BE(4)).toBe(7)
    expect(answer.readInt16BE(8)).toBe(0)
    // A compact array of [key, min, max, tagged fields], then throttle time and tagged fields.
    const count = answer.readUInt8(10) - 1
    expect(answer.length).toBe(11 + 7 * count + 4 + 1)
  })

  it('of a version that nobody knows is answered in version 0, and the connection goes on', async () => {
    const peer = await broker.connect()
    expect(await peer.call(APIS_99)).toEqual(hex('00000010 00000007 0023 00000001 0012 0000 0004'))
    expect((await peer.call(APIS_3)).readInt16BE(8)).toBe(0)
  })
})

/** Api key: lowest and highest version, as docs/support.md has them. Transactions and the like are not there. */
const ADVERTISED: Record<number, [min: number, max: number]> = {
  0: [0, 11],
  1: [4, 17],
  2: [1, 9],
  3: [0, 12],
  8: [2, 9],
  9: [1, 9],
  10: [0, 6],
  11: [0, 9],
  12: [0, 4],
  13: [0, 5],
  14: [0, 5],
  15: [0, 5],
  16: [0, 5],
  18: [0, 4],
  19: [0, 7],
  20: [0, 6],
  21: [0, 2],
  22: [0, 5],
  23: [2, 4],
  32: [0, 4],
  33: [0, 2],
  35: [0, 4],
  37: [0, 3],
  42: [0, 2],
  44: [0, 1],
  47: [0, 0],
  60: [0, 1],
  75: [0, 0],
}

it('ApiVersions tells every API and version, and no more', async () => {
  const peer = await KafkaPeer.connect(broker.port)
  const nobody = { clientSoftwareName: '', clientSoftwareVersion: '' }
  const { apiKeys, finalizedFeatures, supportedFeatures } = await peer.call(apiVersionsApi, 3, nobody)
  const told = apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, [minVersion, maxVersion]])
  expect(Object.fromEntries(told)).toEqual(ADVERTISED)
  expect(told).toHaveLength(apiKeys.length)
  expect([finalizedFeatures, supportedFeatures]).toEqual([[], []])
})

it('a version beyond those ends the connection, for each API but ApiVersions', async () => {
  const refused = Object.entries(ADVERTISED)
    .filter(([key]) => key !== '18')
    .flatMap(([key, [min, max]]) => [min - 1, max + 1].map((version) => [Number(key), version] as const))
  // Produce 0 to 2 are told, and not served.
  for (const [key, version] of [...refused, [0, 0], [0, 2]] as const) {
    const peer = await broker.connect()
    const frame = hex('0000000d 0000 0000 00000001 0001 70 0000')
    frame.writeInt16BE(key, 4)
    frame.writeInt16BE(version, 6)
    peer.send(frame)
    await peer.closed
    expect(broker.logger.messages('warn').at(-1)).toMatch(
      /^closing a connection: \w+ -?\d+ is not served, \d+ to \d+ are/,
    )
  }
})

const UNUSABLE: Record<string, [bytes: Buffer, reason: RegExp]> = {
  'of an unknown API': [
    hex('0000000b 0063 0000 00000001 0001 70'),
    /the API with key 99 is not served \(client "p"\)$/,
  ],
  'too short for a header': [hex('00000007 0012 0003 000000'), /too short for its header/],
  'cut off within its header': [hex('0000000a 0012 0000 00000007 0002'), /ApiVersions request, version 0: clientId/],
  'cut off within its fields': [
    hex('0000000f 0012 0003 00000007 0001 70 00 05 6e00'),
    /ApiVersions request, version 3/,
  ],
}

describe.each(Object.entries(UNUSABLE))('a request that is %s', (_, [bytes, reason]) => {
  it('ends the connection behind the answers before it, and the log says why', async () => {
    const peer = await broker.connect()
    peer.send(APIS_0, bytes, APIS_0)
    expect((await peer.frame()).readInt32BE(4)).toBe(7)
    await peer.closed
    expect(peer.unread).toBe(0)
    expect(broker.logger.messages('warn')).toEqual([expect.stringMatching(reason)])
    await expect.poll(() => broker.broker.connectionCount).toBe(0)
  })
})

it('serves both wires on one port', async () => {
  const ours = await broker.connect()
  const theirs = await broker.connect()
  for (let round = 0; round < 3; round++) {
    expect(await ours.call(frames.metadata(''))).toEqual(frames.described(0, {}))
    expect((await theirs.call(APIS_3)).readInt16BE(8)).toBe(0)
  }
})

it('takes a request in pieces, and many in one', async () => {
  const peer = await broker.connect()
  for (const byte of APIS_3) {
    peer.send(Buffer.from([byte]))
    await delay(1)
  }
  peer.send(Buffer.concat(Array(50).fill(APIS_0)))
  expect((await peer.frames(51)).map((answer) => answer.readInt16BE(8))).toEqual(Array(51).fill(0))
})
