import { describe, expect, it } from 'vitest'
import { parseDatetime } from '../../src/cli/datetime.js'

const NOON = Date.UTC(2026, 10, 30, 12)

describe('a time on the command line', () => {
  it.each([
    ['2026-11-30T12:00:00.000Z', NOON],
    ['2026-11-30T12:00:00.000', NOON],
    ['2026-11-30T12:00:00.007', NOON + 7],
    ['2026-11-30T12:00:00,007Z', NOON + 7],
    ['2026-11-30T12:00:00.5', NOON + 500],
    ['2026-11-30T12:00:05Z', NOON + 5000],
    ['2026-11-30T12:00', NOON],
    ['2026-11-30', Date.UTC(2026, 10, 30)],
    ['2026-11-30T13:00:00.000+01:00', NOON],
    ['2026-11-30T13:00:00.000+0100', NOON],
    ['2026-11-30T13:00:00.000+01', NOON],
    ['2026-11-30T06:30:00.000-05:30', NOON],
    ['2026-12-01T02:00+14:00', NOON],
    ['2028-02-29T00:00Z', Date.UTC(2028, 1, 29)],
    ['0099-01-01T00:00Z', Date.parse('0099-01-01T00:00:00.000Z')],
    ['1796040000000', 1_796_040_000_000],
    ['0', 0],
  ])('%s', (text, time) => {
    expect(parseDatetime(text)).toBe(time)
  })

  it('begins behind a part of a millisecond: what is older does not count', () => {
    expect(parseDatetime('2026-11-30T12:00:00.000000001')).toBe(NOON + 1)
    expect(parseDatetime('2026-11-30T12:00:00.999500')).toBe(NOON + 1000)
    expect(parseDatetime('2026-11-30T12:00:00.285')).toBe(NOON + 285)
  })

  it.each([
    '',
    'yesterday',
    '2026-02-30T00:00:00.000Z',
    '2027-02-29',
    '2026-00-10',
    '2026-13-01',
    '2026-11-00',
    '2026-11-30T24:00',
    '2026-11-30T12:60',
    '2026-11-30T12:00:60',
    '2026-11-30 12:00:00',
    '2026-11-30T12',
    '2026-11-30T12:00+24:00',
    '2026-11-30T12:00+01:60',
    '2026-11-30T12:00:00.Z',
    '26-11-30T12:00Z',
    '-5',
    '1.5',
    '9999999999999999',
  ])('is none: %s', (text) => {
    expect(parseDatetime(text)).toBeNull()
  })
})
