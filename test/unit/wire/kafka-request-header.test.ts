import { describe, expect, it } from 'vitest'
import { apiVersionsApi } from '../../../src/wire/kafka/generated/api-versions.js'
import { findCoordinatorApi } from '../../../src/wire/kafka/generated/find-coordinator.js'
import {
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type KafkaFrame,
  readRequestHeader,
} from '../../../src/wire/kafka/request-header.js'

const frame = (hex: string): KafkaFrame => {
  const read = readRequestHeader(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  if (read === null) throw new Error('no header')
  return read
}
const hexOf = (parts: readonly unknown[]): string => Buffer.concat(parts as Buffer[]).toString('hex')
const request = { key: 'g', keyType: 0, coordinatorKeys: ['g'] }

describe('the request header', () => {
  it('is the same of every API and version, known or not', () => {
    const { header } = frame('7fff 7ffe 00000009 0002 6d65 ffffffff')
    expect(header).toEqual({ apiKey: 0x7fff, apiVersion: 0x7ffe, correlationId: 9, clientId: 'me' })
    expect(frame('ffff ffff ffffffff ffff').header).toEqual({
      apiKey: -1,
      apiVersion: -1,
      correlationId: -1,
      clientId: null,
    })
  })

  it('is none in fewer than eight bytes', () => {
    for (let length = 0; length < 8; length++) expect(readRequestHeader(Buffer.alloc(length))).toBeNull()
  })

  it('can be answered where the client id is malformed, and the request is refused', () => {
    for (const clientId of ['', '00', '0005 6d65', 'fffe', '0001 ff']) {
      const read = frame(`000a 0001 00000009 ${clientId}`)
      expect(read.header).toMatchObject({ apiKey: 10, apiVersion: 1, correlationId: 9 })
      expect(() => decodeRequest(findCoordinatorApi, read)).toThrow(/^FindCoordinator request, version 1: clientId /)
    }
  })

  it('has tagged fields in flexible versions', () => {
    expect(decodeRequest(findCoordinatorApi, frame('000a 0002 00000009 ffff 0001 67 00'))).toMatchObject({ key: 'g' })
    expect(decodeRequest(findCoordinatorApi, frame('000a 0003 00000009 ffff 00 02 67 00 00'))).toMatchObject({
      key: 'g',
    })
    expect(decodeRequest(findCoordinatorApi, frame('000a 0003 00000009 ffff 01 07 01 aa 02 67 00 00'))).toMatchObject({
      key: 'g',
    })
  })

  it('is written as it is read', () => {
    expect(hexOf(encodeRequest(findCoordinatorApi, request, 2, 9, 'me'))).toBe(
      '00000010000a000200000009' + '00026d65' + '00016700',
    )
    expect(hexOf(encodeRequest(findCoordinatorApi, request, 3, 9, null))).toBe(
      '0000000f000a000300000009' + 'ffff00' + '02670000',
    )
  })

  it('refuses versions that the codec does not know', () => {
    for (const version of ['ffff', '0007', '7fff']) {
      expect(() => decodeRequest(findCoordinatorApi, frame(`000a ${version} 00000009 ffff`))).toThrow(
        expect.objectContaining({ code: 'UNSUPPORTED_VERSION' }),
      )
    }
  })
})

describe('the response header', () => {
  const response = { errorCode: 0, apiKeys: [] }

  it('has tagged fields in flexible versions', () => {
    expect(hexOf(encodeResponse(findCoordinatorApi, { coordinators: [] }, 4, 9))).toBe(
      '0000000b' + '00000009' + '00' + '00000000' + '01' + '00',
    )
    expect(hexOf(encodeResponse(findCoordinatorApi, { coordinators: [] }, 0, 9))).toBe(
      '00000010' + '00000009' + '0000' + '00000000' + '0000' + '00000000',
    )
  })

  it('never has them in an answer to ApiVersions', () => {
    expect(hexOf(encodeResponse(apiVersionsApi, response, 0, 9))).toBe('0000000a00000009' + '0000' + '00000000')
    expect(hexOf(encodeResponse(apiVersionsApi, response, 3, 9))).toBe(
      '0000000c00000009' + '0000' + '01' + '0000000000',
    )
  })

  it('is read back', () => {
    for (const version of [0, 3, 4]) {
      const whole = Buffer.concat(encodeResponse(apiVersionsApi, response, version, 9) as Buffer[])
      expect(decodeResponse(apiVersionsApi, whole.subarray(4), version)).toMatchObject({
        correlationId: 9,
        response: { errorCode: 0, apiKeys: [], finalizedFeaturesEpoch: -1n },
      })
    }
  })
})
