import { appendFile, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/index.js'
import type { BrokerProcess } from '../support/broker-process.js'
import { partitionBytes, partitionFiles, partitionRecords } from '../support/data-directory.js'
import { type Random, testRandom } from '../support/random.js'
import { temporaryDirectory } from '../support/temporary.js'
import { fill, PARTITIONS, RECORDS, TOPIC, withBroker } from './scenarios/filled.js'

/** A partition's log as its files hold it, and where in it each record starts; at last, its length. */
interface PlacedLog {
  readonly bytes: Buffer
  readonly starts: readonly number[]
  readonly timestamps: readonly number[]
}

function placedLogs(dataDir: string): Promise<PlacedLog[]> {
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
  return Promise.all(
    partitions.map(async (partition) => {
      const starts = [0]
      const timestamps: number[] = []
      for (const { length, timestamp } of await partitionRecords(dataDir, TOPIC, partition)) {
        starts.push((starts.at(-1) as number) + length)
        timestamps.push(Number(timestamp))
      }
      return { bytes: await partitionBytes(dataDir, TOPIC, partition), starts, timestamps }
    }),
  )
}

describe('indexes that were damaged while the broker was down', () => {
  const damages: Record<string, (path: string, random: Random) => Promise<void>> = {
    deleted: (path) => rm(path),
    emptied: (path) => truncate(path, 0),
    cut: async (path, random) => truncate(path, random.integer(0, (await stat(path)).size)),
    zeroed: async (path) => writeFile(path, Buffer.alloc((await stat(path)).size)),
    'filled with garbage': async (path, random) => writeFile(path, random.bytes((await stat(path)).size)),
    'lengthened by garbage': (path, random) => appendFile(path, random.bytes(random.integer(1, 5000))),
    'flipped in one bit': async (path, random) => {
      const bytes = await readFile(path)
      if (bytes.length === 0) return
      const at = random.integer(0, bytes.length - 1)
      bytes[at] = (bytes[at] as number) ^ (1 << random.integer(0, 7))
      await writeFile(path, bytes)
    },
  }

  /** Asks questions of every kind and holds the answers against what the .log files say. */
  async function expectRightAnswers(client: Client, logs: PlacedLog[], random: Random): Promise<void> {
    const questions = Array.from({ length: 300 }, async () => {
      const partition = random.integer(0, PARTITIONS - 1)
      const offset = random.integer(0, RECORDS)
      const maxBytes = random.pick([0, 1, random.integer(0, 5000), random.integer(0, 200_000)])
      const { recordCount, records } = await client.fetchRaw(TOPIC, partition, offset, { maxBytes })
      const { bytes, starts } = logs[partition] as PlacedLog
      const end = starts[offset + recordCount]
      expect(records.equals(bytes.subarray(starts[offset], end)), `${partition}/${offset}`).toBe(true)
      if (offset < RECORDS) expect(recordCount).toBeGreaterThan(0)
      if (recordCount > 1) expect(records.length).toBeLessThanOrEqual(maxBytes)
    })
    await Promise.all(questions)
    for (let i = 0; i < 30; i++) {
      const partition = random.integer(0, PARTITIONS - 1)
      const { timestamps } = logs[partition] as PlacedLog
      const time = random.pick(timestamps) + random.integer(0, 1)
      const offset = timestamps.findIndex((timestamp) => timestamp >= time)
      const found = await client.offsetsForTime(TOPIC, [partition], time)
      expect(found.get(partition), `${partition} at ${time}`).toBe(offset < 0 ? null : offset)
    }
  }

  async function damageAll(dataDir: string, random: Random, damage?: string): Promise<void> {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      for (const ending of ['.index', '.timeindex'] as const) {
        for (const path of await partitionFiles(dataDir, TOPIC, partition, ending)) {
          await damages[damage ?? random.pick(Object.keys(damages))]?.(path, random)
        }
      }
    }
  }

  for (const end of ['a clean stop', 'kill -9'] as const) {
    it(`change no answer, behind ${end}`, async () => {
      const random = testRandom()
      const dataDir = join(await temporaryDirectory(), 'data')
      const finish = async (broker: BrokerProcess): Promise<unknown> =>
        end === 'kill -9' ? broker.kill() : broker.stop()
      await withBroker(dataDir, async (client, broker) => {
        await fill(client, random)
        await finish(broker)
      })
      const logs = await placedLogs(dataDir)
      // Every kind to all files, and then a mixture.
      const kinds = end === 'kill -9' ? [undefined, undefined] : [...Object.keys(damages), undefined]
      for (const damage of kinds) {
        await damageAll(dataDir, random, damage)
        await withBroker(dataDir, async (client, broker) => {
          await expectRightAnswers(client, logs, random)
          await finish(broker)
        })
        for (const [partition, { bytes }] of logs.entries()) {
          expect(bytes.equals(await partitionBytes(dataDir, TOPIC, partition)), damage).toBe(true)
        }
      }
    })
  }
})
