/** What a start reads of its directory may have rotted: it is read or counts as unknown, and takes no more than it has. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Group } from '../../src/group/group.js'
import { GroupMember } from '../../src/group/group-member.js'
import { decodeGroup, encodeGroup } from '../../src/group/group-record.js'
import { subscribedTopics } from '../../src/group/subscription.js'
import { formatCheckpoint, parseCheckpoint } from '../../src/log/checkpoint.js'
import { decodeSnapshot, encodeSnapshot } from '../../src/log/producer-snapshot.js'
import { ProducerStates } from '../../src/log/producer-state.js'
import { native } from '../../src/native/load.js'
import { readIdentity } from '../../src/topic/meta-properties.js'
import type { MetadataStore } from '../../src/topic/metadata-store.js'
import { decodeGroupKey, decodeOffsetKey, encodeGroupKey, encodeOffsetKey } from '../../src/topic/offset-key.js'
import { decodeOffsetValue, encodeOffsetValue } from '../../src/topic/offset-value.js'
import { MAX_PARTITIONS } from '../../src/topic/partition-count.js'
import { encodePartitionMetadata, readPartitionMetadata } from '../../src/topic/partition-metadata.js'
import { StoredConfigs } from '../../src/topic/stored-configs.js'
import { edited, edits, sizeOf, valueOrRefusal, valueOrRefusalLater } from '../support/hostile-bytes.js'
import { scaled } from '../support/scale.js'
import { temporaryDirectory } from '../support/temporary.js'
import { anyName, bytes, int32, safeInteger } from './arbitraries.js'

const numRuns = scaled(100, 50_000)
const nat = fc.nat({ max: 0x7fffffff })

/** What is read of changed bytes: never an error, and no more than there is. */
function holdsForChanged(valid: fc.Arbitrary<Buffer>, read: (bytes: Buffer) => unknown): void {
  fc.assert(
    fc.property(fc.oneof(valid, bytes(60)), edits, (whole, changes) => {
      const changed = edited(whole, changes)
      expect(sizeOf(read(changed))).toBeLessThanOrEqual(3 * changed.length + 20)
    }),
    { numRuns },
  )
}

describe('what rotted in the log of offsets', () => {
  it('is a key of an offset, or none', () => {
    const key = fc.record({ group: anyName, topic: anyName, partition: int32 }).map(encodeOffsetKey)
    holdsForChanged(key, decodeOffsetKey)
  })

  it('is a key of a group, or none', () => {
    holdsForChanged(anyName.map(encodeGroupKey), decodeGroupKey)
  })

  it('is a committed offset, or none', () => {
    const value = fc.record({ offset: safeInteger, leaderEpoch: int32, metadata: anyName }).map(encodeOffsetValue)
    holdsForChanged(value, (changed) => decodeOffsetValue(changed, 1))
  })

  it('is a group, or none', () => {
    const member = fc.record({
      id: anyName,
      groupInstanceId: fc.option(anyName, { nil: null }),
      clientId: anyName,
      clientHost: anyName,
      rebalanceTimeoutMs: nat,
      sessionTimeoutMs: nat,
      metadata: bytes(20),
    })
    const group = fc.array(member, { maxLength: 4 }).map((members) => {
      const made = new Group('group')
      for (const { metadata, ...said } of members) {
        made.add(new GroupMember({ ...said, protocols: [{ name: 'range', metadata }] }), 'consumer')
      }
      return encodeGroup(made, new Map())
    })
    fc.assert(
      fc.property(group, edits, (whole, changes) => {
        const changed = edited(whole, changes)
        const read = decodeGroup('group', changed)
        expect(read?.members.size ?? 0).toBeLessThanOrEqual(changed.length / 20)
        if (read !== null) expect(encodeGroup(read, new Map())).toBeInstanceOf(Buffer)
      }),
      { numRuns },
    )
  })

  it('is a subscription, or none', () => {
    const list = fc.array(bytes(10), { maxLength: 5 }).map((topics) => {
      const head = Buffer.alloc(6)
      head.writeInt32BE(topics.length, 2)
      return Buffer.concat([head, ...topics.flatMap((topic) => [Buffer.of(0, topic.length), topic])])
    })
    holdsForChanged(list, subscribedTopics)
  })
})

describe('a rotten file', () => {
  it('is a snapshot of producers, or none, also with a right checksum', () => {
    const producer = fc.record({ id: fc.nat(), epoch: fc.nat({ max: 0x7fff }), batches: fc.nat({ max: 5 }) })
    const snapshot = fc.array(producer, { maxLength: 4 }).map((producers) => {
      const states = new ProducerStates()
      for (const { id, epoch, batches } of producers) {
        const kept = Array.from({ length: batches }, (_, i) => ({ baseSequence: i, recordCount: 1, baseOffset: i }))
        states.set(id, { producerEpoch: epoch, lastTimestamp: 1, batches: kept })
      }
      return encodeSnapshot(states)
    })
    holdsForChanged(snapshot, (changed) => {
      if (changed.length >= 6) changed.writeUInt32BE(native.crc32c(changed.subarray(6)), 2)
      return [...(decodeSnapshot(changed)?.entries() ?? [])]
    })
  })

  it('is a checkpoint, or none', () => {
    const lines = fc.array(fc.tuple(anyName, fc.nat()), { maxLength: 5 })
    const text = lines.map((list) => Buffer.from(formatCheckpoint(new Map(list))))
    holdsForChanged(text, (changed) => {
      const offsets = [...(parseCheckpoint(changed.toString()) ?? [])]
      for (const [, offset] of offsets) expect(Number.isSafeInteger(offset) && offset >= 0).toBe(true)
      return offsets
    })
  })

  it('says who a directory belongs to, or that it does not know the format', async () => {
    const path = join(await temporaryDirectory(), 'meta.properties')
    const valid = fc
      .tuple(fc.string(), int32)
      .map(([id, node]) => Buffer.from(`version=1\ncluster.id=${id}\nnode.id=${node}\n`))
    await fc.assert(
      fc.asyncProperty(valid, edits, async (whole, changes) => {
        writeFileSync(path, edited(whole, changes))
        const read = await valueOrRefusalLater(
          () => readIdentity(path, 1),
          ['UNSUPPORTED_FORMAT_VERSION', 'INVALID_CONFIG'],
        )
        if (read !== null) expect(Buffer.alloc(4).writeInt32BE(read.nodeId, 0)).toBe(4)
      }),
      { numRuns: scaled(25, 20_000) },
    )
  })

  it('is none where there is none, and an error where it cannot be read', async () => {
    const directory = await temporaryDirectory()
    expect(await readPartitionMetadata(directory)).toBeNull()
    expect(await readIdentity(join(directory, 'meta.properties'), 1)).toBeNull()
    for (const name of ['partition.metadata', 'meta.properties']) mkdirSync(join(directory, name))
    await expect(readPartitionMetadata(directory)).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(readIdentity(join(directory, 'meta.properties'), 1)).rejects.toMatchObject({ code: 'EISDIR' })
  })

  it('says of a partition what can be, or nothing', async () => {
    const directory = await temporaryDirectory()
    const valid = fc
      .record({
        topicId: fc.string(),
        partitionCount: fc.oneof(fc.integer({ min: 1, max: MAX_PARTITIONS }), fc.constantFrom(1e9, 2 ** 53, 1e300)),
        recordFormat: fc.constantFrom('kafka' as const, 'mykafka' as const),
      })
      .map((metadata) => Buffer.from(encodePartitionMetadata(metadata)))
    await fc.assert(
      fc.asyncProperty(valid, edits, async (whole, changes) => {
        writeFileSync(join(directory, 'partition.metadata'), edited(whole, changes))
        const read = await readPartitionMetadata(directory)
        if (read !== null) expect(read.partitionCount).toBeLessThanOrEqual(MAX_PARTITIONS)
      }),
      { numRuns: scaled(25, 20_000) },
    )
  })

  it('has the configuration of a topic where that was kept', async () => {
    const values = new Map<string, string>()
    const store: MetadataStore = {
      get: (key) => values.get(key),
      keys: () => [...values.keys()],
      set: async (key, value) => void values.set(key, value),
      delete: async (key) => void values.delete(key),
    }
    const configs = new StoredConfigs(store)
    await configs.set('topic', 'id', { 'retention.ms': '5' })
    expect(configs.get('topic', 'id')).toEqual({ 'retention.ms': '5' })
    expect(configs.get('topic', 'another id')).toEqual({})
    await configs.delete('topic')
    await configs.delete('topic')
    expect(configs.get('topic', 'id')).toEqual({})
  })

  it('has the configuration of a topic, or says that there is none to be had', () => {
    const valid = fc.string().map((value) => Buffer.from(JSON.stringify({ topicId: 'id', config: { key: value } })))
    fc.assert(
      fc.property(fc.oneof(valid, fc.json().map(Buffer.from)), edits, (whole, changes) => {
        const text = edited(whole, changes).toString()
        const store = { get: () => text } as unknown as MetadataStore
        const configs = new StoredConfigs(store)
        const config = valueOrRefusal(() => configs.get('topic', 'id'), ['INVALID_CONFIG'])
        expect(Object.values(config ?? {}).every((value) => typeof value === 'string')).toBe(true)
      }),
      { numRuns },
    )
  })
})
