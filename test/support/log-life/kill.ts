/** A log whose process is killed again and again, and what the model makes of what is left. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import type { PartitionLogState } from '../../../src/log/partition-log.js'
import type { Random } from '../random.js'
import { Life, type LifeEvent, type LifeOptions, STATE_FILE } from './life.js'
import { LogModel } from './model.js'
import { type Mix, type Operation, randomOperation } from './operations.js'
import type { Producers } from './producers.js'
import { apply, birth, compare, expectNoStrays, FRESH } from './run.js'

/** More than are done before the kill. */
const OPERATIONS = 1000

/** What the process gets to know. */
export interface KilledLife {
  readonly options: LifeOptions
  readonly state: PartitionLogState
  readonly producers: Producers['all']
  readonly operations: readonly Operation[]
  /** The file that it tells what it does to. */
  readonly progress: string
}

type Told = LifeEvent | { readonly kind: 'opened' } | { readonly kind: 'begun' } | { readonly kind: 'ended' }

/** So many kills. Returns how many operations were done. */
export async function liveThroughKills(
  random: Random,
  mix: Mix,
  { kills, mostMs }: { kills: number; mostMs: number },
): Promise<number> {
  const options = await birth(mix.recordFormat)
  const { directory } = options
  writeFileSync(join(directory, STATE_FILE), JSON.stringify(FRESH))
  const model = new LogModel(mix.recordFormat === 'kafka', options.now)
  let done = 0
  for (let kill = 0; kill < kills; kill++) {
    const first: Operation[] = model.resend().map((producer) => ({ kind: 'retry', producer }))
    const operations = [...first, ...Array.from({ length: OPERATIONS }, () => randomOperation(random, mix))]
    const told = await runAndKill(
      { options: { ...options, now: model.now }, model, operations },
      random.integer(0, mostMs),
    )
    const underWay = replay(model, operations, told)
    done += told.filter(({ kind }) => kind === 'done').length
    await compareCopy({ ...options, now: model.now }, model, underWay, random).catch((error: unknown) => {
      const last = JSON.stringify(underWay?.operation ?? 'nothing').slice(0, 300)
      throw new Error(`kill ${kill}, behind ${done} operations, in the middle of ${last}`, { cause: error })
    })
  }
  return done
}

interface Run {
  readonly options: LifeOptions
  readonly model: LogModel
  readonly operations: readonly Operation[]
}

/** Runs the operations until the process is killed, so many milliseconds behind its start. Returns what it told. */
async function runAndKill({ options, model, operations }: Run, ms: number): Promise<Told[]> {
  const { directory } = options
  const progress = join(directory, 'progress')
  const task = join(directory, 'task.json')
  writeFileSync(progress, '')
  const life: KilledLife = { options, state: stateOf(directory), producers: model.producers.all, operations, progress }
  writeFileSync(task, JSON.stringify(life))
  const program = join(inject('programs'), 'log-life.js')
  const child = fork(program, [task], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const exited = once(child, 'exit')
  await Promise.race([once(child, 'message'), exited])
  await Promise.race([sleep(ms), exited])
  child.kill('SIGKILL')
  const [, signal] = await exited
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself: ${errors}`)
  return readFileSync(progress, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told)
}

function stateOf(directory: string): PartitionLogState {
  return { ...JSON.parse(readFileSync(join(directory, STATE_FILE), 'utf8')), clean: false }
}

/** An operation that the process was killed in. */
interface UnderWay {
  readonly operation: Operation
  readonly acknowledged: Set<number>
  cleaningTo: number | null
}

/** Tells the model what was done. Returns what was not done to its end. */
function replay(model: LogModel, operations: readonly Operation[], told: readonly Told[]): UnderWay | null {
  let next = 0
  let underWay: UnderWay | null = null
  for (const event of told) {
    if (event.kind === 'begun') {
      underWay = { operation: operations[next++] as Operation, acknowledged: new Set(), cleaningTo: null }
    }
    if (underWay === null || event.kind === 'begun' || event.kind === 'opened' || event.kind === 'ended') continue
    apply(model, underWay.operation, event)
    if (event.kind === 'appended') underWay.acknowledged.add(event.index)
    if (event.kind === 'cleaning') underWay.cleaningTo = event.endOffset
    if (event.kind === 'done') underWay = null
  }
  return underWay
}

/** Opens a copy, so that the next process meets what the kill has left, and holds it against the model. */
async function compareCopy(
  options: LifeOptions,
  model: LogModel,
  underWay: UnderWay | null,
  random: Random,
): Promise<void> {
  const directory = `${options.directory}/copy`
  for (const name of ['log', STATE_FILE]) {
    cpSync(join(options.directory, name), join(directory, name), { recursive: true })
  }
  const life = await Life.open({ ...options, directory }, stateOf(directory))
  if (underWay !== null) model.killed(underWay.operation, underWay.acknowledged, underWay.cleaningTo, life.log)
  await compare(life.log, model, random)
  expect(await life.log.verify()).toEqual([])
  await life.log.close()
  expectNoStrays(life.logDirectory)
  rmSync(directory, { recursive: true })
}
