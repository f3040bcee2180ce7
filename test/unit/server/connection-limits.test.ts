import { describe, expect, it } from 'vitest'
import { ConnectionLimits, readOverrides } from '../../../src/server/connection-limits.js'

describe('max.connections.per.ip', () => {
  it('counts the connections of each address, however it is written', () => {
    const limits = new ConnectionLimits({ most: 10, mostPerAddress: 2, overrides: '' })
    expect(limits.admit('::ffff:10.0.0.1')).toBeNull()
    expect(limits.admit('10.0.0.1')).toBeNull()
    expect(limits.admit('10.0.0.1')).toEqual({ setting: 'max.connections.per.ip', limit: 2 })
    expect(limits.admit('10.0.0.2')).toBeNull()
    limits.release('10.0.0.1')
    expect(limits.admit('::ffff:10.0.0.1')).toBeNull()
  })

  it('has other numbers for some', () => {
    const limits = new ConnectionLimits({ most: 10, mostPerAddress: 0, overrides: '127.0.0.1:1, [::1]:2' })
    expect(limits.admit('10.0.0.1')).toEqual({ setting: 'max.connections.per.ip', limit: 0 })
    expect(limits.admit('127.0.0.1')).toBeNull()
    expect(limits.admit('127.0.0.1')).toEqual({ setting: 'max.connections.per.ip', limit: 1 })
    expect(limits.admit('::1')).toBeNull()
    expect(limits.admit('::1')).toBeNull()
  })

  it('comes behind max.connections', () => {
    const limits = new ConnectionLimits({ most: 1, mostPerAddress: 1, overrides: '' })
    expect(limits.admit('10.0.0.1')).toBeNull()
    expect(limits.admit('10.0.0.1')).toEqual({ setting: 'max.connections', limit: 1 })
    limits.release('10.0.0.1')
    expect(limits.admit('10.0.0.2')).toBeNull()
  })
})

it.each(['10.0.0.1', '10.0.0.1:', 'host:3', '10.0.0.1:-1', ':5', '10.0.0.1:1e3'])('%s is no override', (text) => {
  expect(() => readOverrides(text)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})
