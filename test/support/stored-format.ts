/**
 * The format of segments read by the letter of docs/disk-format.md, with nothing of ours: what the tests hold
 * the engine against.
 */
import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

export interface StoredEntry {
  position: number
  length: number
  offset: bigint
  timestamp: bigint
  key: Buffer | null
  value: Buffer | null
}

/** Reads a whole .log; throws where a byte is not as the format says. */
export function readStoredLog(path: string): StoredEntry[] {
  return readStoredEntries(readFileSync(path))
}

/** Reads entries as they are stored, and as they are fetched. */
export function readStoredEntries(log: Buffer): StoredEntry[] {
  const entries: StoredEntry[] = []
  let position = 0
  while (position < log.length) {
    const start = position
    const offset = log.readBigInt64BE(position)
    const timestamp = log.readBigInt64BE(position + 8)
    position += 16
    const field = (): Buffer | null => {
      const length = log.readInt32BE(position)
      position += 4
      if (length === -1) return null
      const bytes = log.subarray(position, position + length)
      if (bytes.length !== length) throw new Error(`the entry at ${start} is cut off`)
      position += length
      return bytes
    }
    const key = field()
    const value = field()
    const stored = log.readUInt32BE(position)
    if (crc32(log.subarray(start, position)) !== stored) throw new Error(`the entry at ${start} has a wrong CRC`)
    position += 4
    entries.push({ position: start, length: position - start, offset, timestamp, key, value })
  }
  return entries
}

/** Entries of an .index: `[relativeOffset:4][filePosition:4]`. */
export function readStoredIndex(path: string): { relativeOffset: number; position: number }[] {
  const index = readFileSync(path)
  const entries = []
  for (let at = 0; at + 8 <= index.length; at += 8) {
    entries.push({ relativeOffset: index.readUInt32BE(at), position: index.readUInt32BE(at + 4) })
  }
  return entries
}

/** An entry as it is stored. */
export function storedEntry(offset: number, timestamp: number, key: Buffer | null, value: Buffer | null): Buffer {
  const head = Buffer.alloc(16)
  head.writeBigInt64BE(BigInt(offset), 0)
  head.writeBigInt64BE(BigInt(timestamp), 8)
  const field = (bytes: Buffer | null) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(bytes?.length ?? -1)
    return [length, bytes ?? Buffer.alloc(0)]
  }
  const body = Buffer.concat([head, ...field(key), ...field(value)])
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([body, crc])
}
