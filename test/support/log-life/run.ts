/** Runs operations in this process, and holds the log against the model behind each. */
import { mkdirSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import type { Random } from '../random.js'
import { temporaryDirectory } from '../temporary.js'
import { Life, type LifeEvent, type LifeOptions } from './life.js'
import { LogModel } from './model.js'
import { type Mix, type Operation, randomOperation } from './operations.js'
import { readThrough } from './view.js'

export const FRESH = { recoveryPoint: 0, logStartOffset: 0, firstDirtyOffset: 0, clean: true }
/** Behind the system's clock all the while: what a log stamps by that one is never too early. */
const EARLIER_MS = 20 * 86_400_000

/** What a log begins with. */
export async function birth(recordFormat: Mix['recordFormat']): Promise<LifeOptions> {
  const directory = await temporaryDirectory()
  mkdirSync(`${directory}/log`)
  return { directory, recordFormat, segmentBytes: 2048, now: Date.now() - EARLIER_MS }
}

/**
 * So many operations, the log held against the model behind one of `every`: more than one, so that what one leaves
 * unknown of the log another adds to.
 *
 * @throws where the log and the model differ
 */
export async function liveThrough(random: Random, mix: Mix, operations: number, every = 1): Promise<void> {
  const options = await birth(mix.recordFormat)
  const life = await Life.open(options, FRESH)
  const model = new LogModel(mix.recordFormat === 'kafka', options.now)
  let operation: Operation = { kind: 'verify' }
  let number = 0
  try {
    for (; number < operations; number++) {
      operation = randomOperation(random, mix)
      await life.run(operation, (event) => apply(model, operation, event))
      if (number % every === every - 1) await compare(life.log, model, random)
    }
    await life.log.flush()
    expect(await life.log.verify()).toEqual([])
  } catch (error) {
    throw new Error(`operation ${number}, ${JSON.stringify(operation).slice(0, 300)}`, { cause: error })
  } finally {
    await life.log.close()
  }
  expect(life.logger.messages('error')).toEqual([])
  expectNoStrays(life.logDirectory)
}

/** What is told of an operation, to the model. */
export function apply(model: LogModel, operation: Operation, event: LifeEvent): void {
  if (event.kind === 'done') model.done(operation, event.outcome)
  if (event.kind !== 'appended') return
  const appends = operation.kind === 'write' ? operation.appends : operation.kind === 'clean' ? operation.meanwhile : []
  const place = model.places(appends)[event.index]
  if (event.baseOffset !== place) throw new Error(`an append is at ${event.baseOffset} and must be at ${place}`)
}

/** Every way of reading gives what the model has. */
export async function compare(log: PartitionLog, model: LogModel, random: Random): Promise<void> {
  model.compare(await readThrough(log, log.logStartOffset, () => random.pick([1, 300, 2000, 1 << 20])))
  for (let round = 0; round < 3; round++) {
    const from = random.integer(log.logStartOffset, log.logEndOffset)
    const { records } = await readThrough(log, from, () => random.integer(1, 4000))
    expect(records).toEqual(model.expected(from))
  }
  await expect(
    (async () => log.read({ offset: log.logEndOffset + 1, maxBytes: 1, upperBound: 1e9 }))(),
  ).rejects.toThrow()
  if (log.logStartOffset > 0) {
    const below = { offset: log.logStartOffset - 1, maxBytes: 1, upperBound: log.highWatermark }
    await expect((async () => log.read(below))()).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' })
  }
  await compareTimes(log, model, random)
}

/** The first record of a time is found, in the entry that holds it. */
async function compareTimes(log: PartitionLog, model: LogModel, random: Random): Promise<void> {
  const records = model.expected()
  if (records.length === 0) return
  for (let round = 0; round < 2; round++) {
    const timestamp = random.pick(records).timestamp + random.integer(-1, 1)
    const wanted = records.find((record) => record.timestamp >= timestamp)
    const found = await log.offsetForTimestamp(timestamp)
    if (wanted === undefined) {
      // Of the batch that holds the log start, the records below count.
      if (found !== null) expect(found.baseOffset).toBeLessThan(log.logStartOffset)
      continue
    }
    expect(found?.baseOffset).toBeLessThanOrEqual(wanted.offset)
    if ((found?.baseOffset ?? 0) >= log.logStartOffset) expect(found?.lastOffset).toBeGreaterThanOrEqual(wanted.offset)
  }
}

/** Behind a close only segments and what belongs to them are left. */
export function expectNoStrays(directory: string): void {
  const names = readdirSync(directory)
  const logs = new Set(names.filter((name) => name.endsWith('.log')).map((name) => name.slice(0, 20)))
  expect(names.filter((name) => !/^\d{20}\.(log|index|timeindex|compacted|snapshot)$/.test(name))).toEqual([])
  expect(names.filter((name) => /\.(index|timeindex|compacted)$/.test(name) && !logs.has(name.slice(0, 20)))).toEqual(
    [],
  )
}
