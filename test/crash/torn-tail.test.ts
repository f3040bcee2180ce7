import { appendFile, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { partitionFiles } from '../support/data-directory.js'
import { type Random, testRandom } from '../support/random.js'
import { readStoredLog } from '../support/stored-format.js'
import { temporaryDirectory } from '../support/temporary.js'
import { fill, PARTITIONS, RECORDS, TOPIC, withBroker } from './scenarios/filled.js'

describe('a tail that a crash tore', () => {
  const ENTRY = Buffer.alloc(28 + 40)

  /** The entry that could come next, whole. */
  function nextEntry(last: { offset: bigint; timestamp: bigint }): Buffer {
    const entry = Buffer.from(ENTRY)
    entry.writeBigInt64BE(last.offset + 1n, 0)
    entry.writeBigInt64BE(last.timestamp, 8)
    entry.writeInt32BE(-1, 16)
    entry.writeInt32BE(44, 20)
    return entry
  }

  const tails: Record<string, (random: Random, next: Buffer) => Buffer> = {
    'part of an entry': (random, next) => next.subarray(0, random.integer(1, next.length - 1)),
    'an entry with a wrong CRC': (_random, next) => Buffer.concat([next, Buffer.from('crc!')]),
    zeros: (random) => Buffer.alloc(random.integer(1, 10_000)),
    garbage: (random) => random.bytes(random.integer(1, 10_000)),
  }

  it('is cut, kept aside and reported, and the log goes on', async () => {
    const random = testRandom()
    const dataDir = join(await temporaryDirectory(), 'data')
    const next = RECORDS
    await withBroker(dataDir, async (client, broker) => {
      await fill(client, random)
      await broker.kill()
    })
    let produced = 0
    for (const [name, tail] of Object.entries(tails)) {
      const torn: { path: string; position: number; bytes: Buffer }[] = []
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const path = (await partitionFiles(dataDir, TOPIC, partition, '.log')).at(-1) as string
        const last = readStoredLog(path).at(-1) as { offset: bigint; timestamp: bigint }
        const bytes = tail(random, nextEntry(last))
        const position = (await stat(path)).size
        await appendFile(path, bytes)
        torn.push({ path, position, bytes })
      }
      await withBroker(dataDir, async (client, broker) => {
        for (const [partition, { path, position, bytes }] of torn.entries()) {
          const aside = `${path}.cut-${position}`
          expect(await readFile(aside), name).toEqual(bytes)
          const report = broker.log.find(({ keptIn }) => keptIn === aside)
          expect(report, name).toMatchObject({ position, bytes: bytes.length, wholeEntries: 0 })
          const { baseOffset } = await client.produce(TOPIC, [{ value: name }], { partition })
          expect(baseOffset).toBe(next + produced)
          expect((await client.fetch(TOPIC, partition, baseOffset)).map(({ value }) => String(value))).toEqual([name])
        }
        produced++
        await broker.kill()
      })
    }
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const names = await readdir(join(dataDir, TOPIC, String(partition)))
      expect(names.filter((name) => name.includes('.cut-'))).toHaveLength(4)
    }
  })
})
