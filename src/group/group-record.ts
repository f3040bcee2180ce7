/**
 * What the log says of a group (docs/disk-format.md): enough to go on with its generation and its members behind a
 * restart. The layout is that of Kafka's own record, version 3, field by field.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer'
import { readInt64, writeInt64 } from '../integers.js'
import { Group } from './group.js'
import { GroupMember } from './group-member.js'
import { GroupMemory } from './group-memory.js'
import { NO_BYTES } from './group-messages.js'

const VERSION = 3

/** @param assignments - what members have, or are about to have */
export function encodeGroup(group: Group, assignments: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [int16(VERSION)]
  parts.push(text(group.protocolType ?? ''), int32(group.generationId))
  parts.push(text(group.protocolName), text(group.leaderId), int64(group.stateSince), int32(group.members.size))
  for (const member of group.members.values()) {
    parts.push(text(member.id), text(member.groupInstanceId), text(member.clientId), text(member.clientHost))
    parts.push(int32(member.rebalanceTimeoutMs), int32(member.sessionTimeoutMs))
    parts.push(bytes(member.metadata(group.protocolName)), bytes(assignments.get(member.id) ?? NO_BYTES))
  }
  return Buffer.concat(parts)
}

/** Null where the value cannot be read. */
export function decodeGroup(id: string, value: Buffer, memory = new GroupMemory()): Group | null {
  const reader = new RecordReader(value)
  const group = new Group(id, memory)
  try {
    if (reader.int16() === VERSION) return readGroup(group, reader)
    group.size.release()
    return null
  } catch (error) {
    group.size.release()
    if (error instanceof RangeError) return null
    throw error
  }
}

function readGroup(group: Group, reader: RecordReader): Group {
  const protocolType = reader.text() || null
  group.generationId = reader.int32()
  const protocolName = reader.text()
  const leaderId = reader.text()
  const stateSince = reader.int64()
  for (let left = reader.int32(); left > 0; left--) {
    const said = {
      id: reader.text() ?? '',
      groupInstanceId: reader.text(),
      clientId: reader.text() ?? '',
      clientHost: reader.text() ?? '',
      rebalanceTimeoutMs: reader.int32(),
      sessionTimeoutMs: reader.int32(),
    }
    // Only what it said under the chosen protocol is kept.
    const member = new GroupMember({ ...said, protocols: [{ name: protocolName ?? '', metadata: reader.bytes() }] })
    member.assignment = reader.bytes()
    group.add(member, protocolType ?? '')
  }
  group.protocolType = protocolType
  group.protocolName = protocolName
  group.leaderId = leaderId
  group.stored = true
  group.restore(stateSince)
  return group
}

function int16(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(2)
  buffer.writeInt16BE(value)
  return buffer
}

function int32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4)
  buffer.writeInt32BE(value)
  return buffer
}

function int64(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(8)
  writeInt64(buffer, value, 0)
  return buffer
}

/** Length -1: null. */
function text(value: string | null): Buffer {
  if (value === null) return int16(-1)
  const encoded = Buffer.from(value)
  return Buffer.concat([int16(encoded.length), encoded])
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([int32(value.length), value])
}

/** Throws a RangeError for what is no such record: it ends too early, or could not be written again. */
class RecordReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(value: Buffer) {
    this.#bytes = value
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2))
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4))
  }

  int64(): number {
    const value = readInt64(this.#bytes, this.#advance(8))
    if (!Number.isSafeInteger(value)) throw new RangeError('a number is beyond 2^53 - 1')
    return value
  }

  text(): string | null {
    const length = this.int16()
    if (length < 0) return null
    const from = this.#advance(length)
    const text = this.#bytes.subarray(from, from + length)
    if (!isUtf8(text)) throw new RangeError('a text is not UTF-8')
    return text.toString()
  }

  /** A copy: what is read may be a view of much more. */
  bytes(): Buffer {
    const length = Math.max(this.int32(), 0)
    const from = this.#advance(length)
    return Buffer.from(this.#bytes.subarray(from, from + length))
  }

  #advance(length: number): number {
    const from = this.#at
    if (from + length > this.#bytes.length) throw new RangeError('the record ends too early')
    this.#at += length
    return from
  }
}
