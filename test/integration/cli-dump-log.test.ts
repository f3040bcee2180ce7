import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { BrokerProcess } from '../support/broker-process.js'
import { runCli } from '../support/cli-process.js'
import { compactedBatch, writeCompacted } from '../support/compacted-log.js'
import { batchVector, storedAt } from '../support/kafka-batches.js'
import { readStoredLog, type StoredEntry } from '../support/stored-format.js'
import { temporaryDirectory } from '../support/temporary.js'
import { readVectors } from '../support/vectors.js'

interface SegmentVector {
  baseOffset: string
  log: string
  index: { relativeOffset: number; filePosition: number }[]
}

const NAME = '00000000000000001000'

interface Written {
  directory: string
  file: string
  index: string
  bytes: Buffer
  entries: StoredEntry[]
}

/** The segment of test/vectors as files, the log changed as a test wants it. */
async function segmentFiles(change: (log: Buffer) => Buffer = (log) => log): Promise<Written> {
  const vector = readVectors<SegmentVector>('segment.json')
  const directory = await temporaryDirectory()
  const [file, index] = [join(directory, `${NAME}.log`), join(directory, `${NAME}.index`)]
  const bytes = Buffer.from(vector.log, 'hex')
  await writeFile(file, bytes)
  const entries = readStoredLog(file)
  await writeFile(file, change(Buffer.from(bytes)))
  await writeFile(index, indexBytes(vector.index))
  return { directory, file, index, bytes, entries }
}

function indexBytes(entries: SegmentVector['index']): Buffer {
  const bytes = Buffer.alloc(entries.length * 8)
  for (const [slot, { relativeOffset, filePosition }] of entries.entries()) {
    bytes.writeUInt32BE(relativeOffset, slot * 8)
    bytes.writeUInt32BE(filePosition, slot * 8 + 4)
  }
  return bytes
}

function jsonLines(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('lists what compaction has left of batches, with the sequences that they were written with', async () => {
  const directory = await temporaryDirectory()
  const batches = [
    { baseOffset: 3, lastOffsetDelta: 4, deltas: [1, 2], producerId: 7, baseSequence: 10 },
    { baseOffset: 20, lastOffsetDelta: 9, deltas: [], producerId: 8, baseSequence: 2147483645 },
  ]
  await writeCompacted(directory, 0, batches.map(compactedBatch))
  const { code, stdout, stderr } = await runCli(['dump-log', directory, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(jsonLines(stdout)).toMatchObject([
    { baseOffset: 3, lastOffset: 7, count: 2, baseSequence: 10, lastSequence: 14, isvalid: true },
    { baseOffset: 20, lastOffset: 29, count: 0, lastSequence: 6, isvalid: true },
  ])
})

test('lists every entry of a file', async () => {
  const { file, entries } = await segmentFiles()
  const { code, stdout, stderr } = await runCli(['dump-log', file])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const expected = entries.map(({ position, offset, timestamp, key, value }) => {
    const time = new Date(Number(timestamp)).toISOString()
    const keyShown = key === null ? 'null' : JSON.stringify(key.toString())
    return `position: ${position} offset: ${offset} timestamp: ${time} (${timestamp}) key: ${keyShown} valueLength: ${value?.length ?? -1} crc: right`
  })
  expect(stdout.trimEnd().split('\n')).toEqual([`Dumping ${file}`, ...expected])
})

test('--json gives an object a line', async () => {
  const { file, entries } = await segmentFiles()
  const { stdout } = await runCli(['dump-log', '--json', file])
  expect(jsonLines(stdout)).toEqual(
    entries.map(({ position, length, offset, timestamp, key, value }) => ({
      file,
      position,
      length,
      offset: Number(offset),
      timestamp: Number(timestamp),
      time: new Date(Number(timestamp)).toISOString(),
      key: key?.toString() ?? null,
      valueLength: value?.length ?? -1,
      crc: 'right',
    })),
  )
})

test('--index lists the index too, each entry checked', async () => {
  const { directory, index } = await segmentFiles()
  const { code, stdout } = await runCli(['dump-log', '--json', '--index', directory])
  expect(code).toBe(0)
  const vector = readVectors<SegmentVector>('segment.json')
  expect(jsonLines(stdout).filter(({ file }) => file === index)).toEqual(
    vector.index.map(({ relativeOffset, filePosition }, slot) => ({
      file: index,
      slot,
      offset: 1000 + relativeOffset,
      position: filePosition,
      index: 'right',
    })),
  )
})

test('a wrong index entry is found, whatever is wrong with it', async () => {
  const { file, index } = await segmentFiles()
  const vector = readVectors<SegmentVector>('segment.json')
  const changed = vector.index.map((entry) => ({ ...entry }))
  Object.assign(changed[1] ?? {}, { relativeOffset: 4 }) // another offset
  Object.assign(changed[2] ?? {}, { filePosition: 8530 }) // in the middle of an entry
  Object.assign(changed[3] ?? {}, { filePosition: 0xfffffff0 }) // behind the end
  // Zeroes behind the last entry are room that was reserved.
  await writeFile(index, Buffer.concat([indexBytes(changed), Buffer.alloc(800)]))
  const { code, stdout, stderr } = await runCli(['dump-log', '--json', '--index', file])
  expect(code).toBe(1)
  expect(stderr).toBe(`mykafka dump-log: damage found: ${index}: 3 wrong index entries\n`)
  const verdicts = jsonLines(stdout).filter(({ file }) => file === index)
  expect(verdicts.map((entry) => entry.index)).toEqual(
    changed.map((_, slot) => (slot >= 1 && slot <= 3 ? 'wrong' : 'right')),
  )
})

/** By the description of the format; the last one closes the index. */
function timeIndexBytes(entries: { timestamp: number; relativeOffset: number }[]): Buffer {
  const bytes = Buffer.alloc(entries.length * 12)
  for (const [slot, { timestamp, relativeOffset }] of entries.entries()) {
    bytes.writeBigInt64BE(BigInt(timestamp), slot * 12)
    bytes.writeUInt32BE(relativeOffset, slot * 12 + 8)
  }
  return bytes
}

test('--index lists the time index too: the largest timestamp up to each offset', async () => {
  const { file, entries } = await segmentFiles()
  const timeindex = file.replace('.log', '.timeindex')
  let largest = { timestamp: -1, relativeOffset: 0 }
  const grown = entries.flatMap(({ offset, timestamp }) => {
    if (Number(timestamp) <= largest.timestamp) return []
    largest = { timestamp: Number(timestamp), relativeOffset: Number(offset) - 1000 }
    return [largest]
  })
  const last = { ...largest, relativeOffset: Number(entries.at(-1)?.offset) - 1000 }
  const all = last.relativeOffset === largest.relativeOffset ? grown : [...grown, last]
  const verdicts = async (slots: typeof all): Promise<unknown[]> => {
    // Zeroes behind the last entry are room that was reserved.
    await writeFile(timeindex, Buffer.concat([timeIndexBytes(slots), Buffer.alloc(1200)]))
    const { stdout } = await runCli(['dump-log', '--json', '--index', file])
    const lines = jsonLines(stdout).filter((line) => line.file === timeindex)
    expect(lines).toEqual(
      slots.map(({ timestamp, relativeOffset }, slot) => ({
        file: timeindex,
        slot,
        timestamp,
        offset: 1000 + relativeOffset,
        timeindex: expect.any(String),
      })),
    )
    return lines.map((line) => line.timeindex)
  }
  expect(await verdicts(all)).toEqual(all.map(() => 'right'))
  const text = await runCli(['dump-log', '--index', file])
  const line = `slot: 0 timestamp: ${all[0]?.timestamp} offset: ${1000 + (all[0]?.relativeOffset ?? 0)} timeindex: right`
  expect(text.stdout).toContain(`Dumping ${timeindex}\n${line}\n`)
  // Another time; the time of a later entry; out of order.
  expect(all.length).toBeGreaterThan(2)
  expect(
    await verdicts(all.map((each, slot) => (slot === 1 ? { ...each, timestamp: each.timestamp + 1 } : each))),
  ).toEqual(all.map((_, slot) => (slot === 1 ? 'wrong' : 'right')))
  const reversed = await verdicts(all.toReversed())
  expect(reversed[0]).toBe('right')
  expect(reversed.slice(1).every((verdict) => verdict === 'wrong')).toBe(true)
  const { code, stderr } = await runCli(['dump-log', '--index', file])
  expect(code).toBe(1)
  expect(stderr).toBe(`mykafka dump-log: damage found: ${timeindex}: ${all.length - 1} wrong index entries\n`)
})

test('a missing index is damage, and the log is listed all the same', async () => {
  const { file, index, entries } = await segmentFiles()
  await rm(index)
  const { code, stdout, stderr } = await runCli(['dump-log', '--json', '--index', file])
  expect(code).toBe(1)
  expect(stderr).toMatch(/damage found: .*ENOENT/)
  expect(jsonLines(stdout)).toHaveLength(entries.length)
})

test('behind an entry with a wrong CRC the listing goes on, and the exit code is 1', async () => {
  const { file, entries } = await segmentFiles((log) => {
    log.writeUInt8(log.readUInt8(500) ^ 1, 500)
    return log
  })
  const { code, stdout, stderr } = await runCli(['dump-log', '--json', file])
  expect(code).toBe(1)
  expect(stderr).toBe(`mykafka dump-log: damage found: ${file}: 1 with a wrong CRC\n`)
  const verdicts = jsonLines(stdout).map(({ crc }) => crc)
  expect(verdicts).toHaveLength(entries.length)
  expect(verdicts.filter((crc) => crc === 'wrong')).toHaveLength(1)
})

test('a torn end: its position, and exit code 1', async () => {
  const { file, entries } = await segmentFiles((log) => log.subarray(0, -5))
  const { code, stdout, stderr } = await runCli(['dump-log', file])
  const last = entries.at(-1)
  expect(code).toBe(1)
  expect(stdout).toContain(`\nposition: ${last?.position} torn: `)
  expect(stderr).toBe(`mykafka dump-log: damage found: ${file}: torn at position ${last?.position}\n`)
})

test('what is no entry: its position, and exit code 1; other files are listed', async () => {
  const { directory, file, bytes, entries } = await segmentFiles((log) => Buffer.concat([log, Buffer.alloc(100, 0x7f)]))
  const next = join(directory, '00000000000000009000.log')
  await writeFile(next, bytes)
  const { code, stdout, stderr } = await runCli(['dump-log', '--json', directory])
  expect(code).toBe(1)
  expect(stderr).toBe(`mykafka dump-log: damage found: ${file}: no entry at position ${bytes.length}\n`)
  const lines = jsonLines(stdout)
  expect(lines.filter((line) => line.file === file).at(-1)).toEqual({
    file,
    position: bytes.length,
    damage: 'no entry',
  })
  expect(lines.filter((line) => line.file === next)).toHaveLength(entries.length)
})

test('int64s beyond 2^53 and keys that are no text are shown as they are', async () => {
  const vectors =
    readVectors<{ offset: string; timestamp: string; key: string | null; bytes: string }[]>('records.json')
  const file = join(await temporaryDirectory(), '00000000000000000000.log')
  await writeFile(file, Buffer.concat(vectors.map(({ bytes }) => Buffer.from(bytes, 'hex'))))
  const { code, stdout } = await runCli(['dump-log', '--json', file])
  expect(code).toBe(0)
  const lines = jsonLines(stdout)
  expect(lines.map(({ offset, timestamp }) => [String(offset), String(timestamp)])).toEqual(
    vectors.map(({ offset, timestamp }) => [offset, timestamp]),
  )
  const keys = lines.map(({ key, keyHex }) =>
    key === null ? null : (keyHex ?? Buffer.from(String(key)).toString('hex')),
  )
  expect(keys).toEqual(vectors.map(({ key }) => key))
})

test('reads the directory of a running broker, and changes nothing', async () => {
  const dataDir = await temporaryDirectory()
  const broker = await BrokerProcess.start({ dataDir, args: ['--segment-bytes', '20000'] })
  const client = await Client.connect({ port: broker.port })
  await client.createTopic('flights', 1)
  for (let i = 0; i < 100; i++) await client.produce('flights', [{ key: `k${i}`, value: 'x'.repeat(1000) }])
  const directory = join(dataDir, 'flights', '0')
  const active = join(directory, `${String(95).padStart(20, '0')}.log`)
  const before = await readFile(active)
  const { code, stdout, stderr } = await runCli(['dump-log', '--index', '--json', directory])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = jsonLines(stdout)
  expect(lines.filter(({ crc }) => crc === 'right').map(({ offset }) => offset)).toEqual(
    Array.from({ length: 100 }, (_, i) => i),
  )
  expect(lines.filter(({ index }) => index === 'right').length).toBeGreaterThan(10)
  expect(lines.filter(({ timeindex }) => timeindex === 'right').length).toBeGreaterThan(10)
  expect(await readFile(active)).toEqual(before)
  await client.close()
})

test('an empty partition has nothing to list', async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, `${NAME}.log`), '')
  await writeFile(join(directory, `${NAME}.index`), Buffer.alloc(4096))
  expect(await runCli(['dump-log', '--index', '--json', directory])).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('a path that is no log: one line and exit code 1', async () => {
  const directory = await temporaryDirectory()
  const missing = await runCli(['dump-log', join(directory, 'nothing')])
  expect(missing.code).toBe(1)
  expect(missing.stderr).toMatch(/^mykafka dump-log: ENOENT: [^\n]*\n$/)
  const empty = await runCli(['dump-log', directory])
  expect(empty).toMatchObject({ code: 1, stdout: '' })
  expect(empty.stderr).toBe(`mykafka dump-log: ${directory} holds no .log file: is it a partition's directory?\n`)
  const { file } = await segmentFiles()
  await mkdir(join(directory, 'other'))
  const renamed = join(directory, 'other', 'copy.log')
  await copyFile(file, renamed)
  const noIndex = await runCli(['dump-log', '--index', renamed])
  expect(noIndex.code).toBe(1)
  expect(noIndex.stderr).toContain('is not named by its base offset')
})

test('lists the batches of a kafka log in the words of Kafka', async () => {
  const vectors = ['nulls, headers, times out of order', 'gzip', 'idempotent', 'control'].map(batchVector)
  const file = join(await temporaryDirectory(), `${NAME}.log`)
  let offset = 1000
  const batches: Buffer[] = []
  for (const vector of vectors) {
    batches.push(storedAt(vector, offset))
    offset += vector.count
  }
  await writeFile(file, Buffer.concat(batches))
  const { code, stdout } = await runCli(['dump-log', file])
  expect(code).toBe(0)
  let [baseOffset, position] = [1000, 0]
  const expected = vectors.map((vector, i) => {
    const { count, baseSequence, producerId, producerEpoch, attributes, maxTimestamp } = vector
    const bytes = batches[i] as Buffer
    const line = [
      `baseOffset: ${baseOffset} lastOffset: ${baseOffset + count - 1} count: ${count}`,
      // The sequences of "idempotent" go over their end.
      `baseSequence: ${baseSequence} lastSequence: ${baseSequence < 0 ? -1 : 1} producerId: ${producerId}`,
      `producerEpoch: ${producerEpoch} partitionLeaderEpoch: 0 isTransactional: ${(attributes & 16) !== 0}`,
      `isControl: ${(attributes & 32) !== 0} deleteHorizonMs: none position: ${position}`,
      `CreateTime: ${maxTimestamp} size: ${bytes.length} magic: 2 compresscodec: ${i === 1 ? 'gzip' : 'none'}`,
      `crc: ${bytes.readUInt32BE(17)} isvalid: true`,
    ]
    baseOffset += count
    position += bytes.length
    return line.join(' ')
  })
  expect(stdout.trimEnd().split('\n')).toEqual([`Dumping ${file}`, ...expected])

  const harmed = Buffer.concat([...batches.slice(0, 3), Buffer.from([1, 2, 3])])
  harmed[200] = ~(harmed[200] as number)
  await writeFile(file, harmed)
  const damaged = await runCli(['dump-log', '--json', file])
  expect(damaged.code).toBe(1)
  expect(jsonLines(damaged.stdout)).toMatchObject([
    { baseOffset: 1000, lastOffset: 1003, isvalid: true },
    { baseOffset: 1004, compresscodec: 'gzip', isvalid: false },
    { baseOffset: 1064, isvalid: true },
    { damage: 'torn' },
  ])
})
