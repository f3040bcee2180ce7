import { jsonText } from '../visible.js'
import { type EntryFormat, isWhole, keyText, readKey } from './entry.js'

/** A longer key is cut in the listing; `--json` has all of it. */
const LONGEST_KEY_SHOWN = 200

/** Of a record. */
export const formatAsText: EntryFormat = (entry, fd) => {
  const { position, offset, timestamp, valueLength, verdict } = entry
  if (verdict === 'torn') return `position: ${position} torn: an entry begins, the file ends before it does`
  if (verdict === 'no entry') return `position: ${position} no entry begins here`
  const key = readKey(fd, entry)
  const fields = [
    `position: ${position}`,
    `offset: ${offset}`,
    `timestamp: ${isoTime(timestamp) ?? 'no time'} (${timestamp})`,
    `key: ${key === null ? 'null' : showKey(key)}`,
    `valueLength: ${valueLength}`,
    `crc: ${verdict}`,
  ]
  return fields.join(' ')
}

export const formatAsJson: EntryFormat = (entry, fd, file) => {
  const { position, length, offset, timestamp, valueLength, verdict } = entry
  if (!isWhole(entry)) return jsonText({ file, position, damage: verdict })
  const key = readKey(fd, entry)
  const text = key === null ? null : keyText(key)
  const keyFields = key !== null && text === null ? { keyHex: key.toString('hex') } : { key: text }
  const time = isoTime(timestamp)
  const fields = { file, position, length, offset, timestamp, time, ...keyFields, valueLength, crc: verdict }
  return stringify(fields)
}

/** What a number cannot hold becomes text. */
export function stringify(fields: object): string {
  return jsonText(fields, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function showKey(key: Buffer): string {
  const shown = key.subarray(0, LONGEST_KEY_SHOWN)
  const rest = key.length > shown.length ? `… (${key.length} bytes)` : ''
  // A cut may fall into the middle of a character.
  const text = keyText(key) === null ? null : new TextDecoder().decode(shown, { stream: true })
  return (text === null ? `0x${shown.toString('hex')}` : jsonText(text)) + rest
}

/** A damaged timestamp may be beyond what a date can be. */
function isoTime(timestamp: number | bigint): string | null {
  const date = new Date(Number(timestamp))
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
