/** One life, the states that crashes at its moments leave, and lives that go on from such a state. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, seededRandom } from '../../support/random.js'
import { type Checked, check } from './check.js'
import { type CrashChoice, DiskModel, type Image, KILLED, materialise, randomChoice } from './disk-model.js'
import { type Found, historyFrom, historyOfLog } from './found.js'
import { History } from './history.js'
import type { EngineSettings, Mark } from './marks.js'
import { type LogStep, randomSettings } from './recorded-life.js'
import type { CallFault, Recorder } from './recorder.js'
import type { TraceEvent } from './trace.js'

/** What the states of some crashes were found to be. */
export interface Tally {
  states: number
  readonly all: { acknowledged: number; lost: number }
  readonly one: { acknowledged: number; lost: number }
  wrong: number
  readonly failures: string[]
}

export function newTally(): Tally {
  const count = () => ({ acknowledged: 0, lost: 0 })
  return { states: 0, all: count(), one: count(), wrong: 0, failures: [] }
}

export interface Tallies {
  /** The machine lost power. */
  readonly power: Tally
  /** The process was killed. */
  readonly kill: Tally
}

/** A recorded life, and what it began with. */
export interface Record {
  readonly name: string
  readonly events: readonly TraceEvent[]
  readonly history: History
  readonly directory: string
  readonly begin: Image | null
  readonly settings: EngineSettings
}

/** A state that is about to be checked. */
interface State {
  readonly name: string
  readonly at: number
  readonly image: Image
  readonly killed: boolean
  readonly seed: number
}

/** Moments in which a state is made of each of a life's events. */
export interface Sampling {
  readonly states: number
  /** None before this event. */
  readonly from: number
  readonly goOnShare: number
}

const KILLED_SHARE = 0.15
/** So many states are checked side by side: a start waits for threads now and then. */
const SIDE_BY_SIDE = 3
const GENERATIONS = 3
const MOST_FAILURES = 20

export interface RoundOptions {
  readonly seed: number
  readonly recorder: Recorder
  /** Where lives and states lie. */
  readonly place: string
  readonly states: number
  readonly operations: number
  /** What an embedded log is to do in each life; default: whatever comes, and mostly a broker. */
  readonly script?: readonly LogStep[]
  readonly signal: AbortSignal
}

/** A life, and lives behind crashes of it: each generation has a part of the states. */
export async function round(options: RoundOptions, tallies: Tallies): Promise<Record> {
  const random = seededRandom(options.seed)
  const given = randomSettings(random)
  const settings: EngineSettings = options.script ? { ...given, kind: 'log' } : given
  let begin: { image: Image; history: History } | null = null
  let first: Record | null = null
  for (let generation = 0; generation < GENERATIONS && !options.signal.aborted; generation++) {
    const record = await recordLife(options, { generation, settings, begin, fault: null })
    first ??= record
    const share = generation === 0 ? 0.5 : 0.5 / (GENERATIONS - 1)
    const sampling = { states: Math.round(options.states * share), from: 0, goOnShare: 0.25 }
    const kept = await checkStates(record, sampling, random, options, tallies)
    if (kept === null) break
    begin = { image: kept.state.image, history: goingOn(record.history, kept.state.at, kept.found) }
  }
  return first as Record
}

interface LifePlan {
  readonly generation: number
  readonly settings: EngineSettings
  readonly begin: { readonly image: Image; readonly history: History } | null
  readonly fault: CallFault | null
}

export async function recordLife(
  options: RoundOptions,
  { generation, settings, begin, fault }: LifePlan,
): Promise<Record> {
  const { seed, recorder, place, operations, script } = options
  const directory = join(place, 'life')
  rmSync(directory, { recursive: true, force: true })
  materialise(begin?.image ?? { directories: [], files: new Map(), links: [] }, directory)
  const task = {
    seed: seed * 10 + generation,
    directory,
    operations,
    settings,
    watches: fault === null,
    fault,
    ...(script && { script }),
  }
  const events = await recorder.record(task)
  rmSync(directory, { recursive: true, force: true })
  const history = History.of(events, begin?.history ?? (settings.kind === 'log' ? historyOfLog(settings) : undefined))
  const name = `seed ${seed}, life ${generation}${fault === null ? '' : `, ${JSON.stringify(fault)}`}`
  return { name, events, history, directory, begin: begin?.image ?? null, settings }
}

/** What a life begins with that goes on from there. */
function goingOn(history: History, at: number, found: Found): History {
  return historyFrom(found, (topic, partition, offset) => {
    const records = history.latest(topic)?.partitions[partition]?.at(offset) ?? []
    return records.some(({ doneAt, acks, cut }) => doneAt < at && acks === 'all' && !(cut && cut.askedAt < at))
  })
}

interface Kept {
  readonly state: State
  readonly found: Found
}

/** @returns one of the states that were found right */
export async function checkStates(
  record: Record,
  sampling: Sampling,
  random: Random,
  { place, signal }: Pick<RoundOptions, 'place' | 'signal'>,
  tallies: Tallies,
): Promise<Kept | null> {
  const keptNumber = random.integer(0, sampling.states - 1)
  const states = statesOf(record, sampling, random)
  let kept: Kept | null = null
  let isChosen = false
  let number = 0
  const work = async (lane: number): Promise<void> => {
    for (const state of states) {
      if (signal.aborted) return
      const isLate = number++ >= keptNumber
      const found = await checkOne(record, state, sampling, join(place, `state-${lane}`), tallies)
      if (found === null || state.killed || isChosen) continue
      kept = { state, found }
      isChosen = isLate
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, (_, lane) => work(lane)))
  return kept
}

/** The life's events again, with crashes in between. */
function* statesOf(
  { name, events, directory, begin }: Record,
  { states, from }: Sampling,
  random: Random,
): Generator<State> {
  const moments = Array.from({ length: states }, () => random.integer(from, events.length)).sort((a, b) => a - b)
  const model = new DiskModel(directory, begin ?? undefined)
  let at = 0
  for (const moment of moments) {
    for (; at < moment; at++) {
      const event = events[at] as TraceEvent
      if (event.kind === 'mark') see(model, event.text)
      else model.apply(event)
    }
    const killed = random.next() < KILLED_SHARE
    const choice = killed ? KILLED : randomChoice(random)
    const image = model.afterCrash(random, choice)
    const seed = random.integer(0, 2 ** 31)
    yield { name: `${name}, at ${at} of ${events.length}, ${text(choice)}`, at, killed, image, seed }
  }
}

function text({ order, names, data }: CrashChoice): string {
  return `names ${names} (${order}), data ${data ?? 'each its own'}`
}

function see(model: DiskModel, mark: string): void {
  if (!mark.startsWith('{"mark":"seen"')) return
  const { path, base64 } = JSON.parse(mark) as Extract<Mark, { mark: 'seen' }>
  model.see(path, Buffer.from(base64, 'base64'))
}

/** Null where it is not right. */
async function checkOne(
  record: Record,
  { name, at, image, killed, seed }: State,
  { goOnShare }: Sampling,
  directory: string,
  tallies: Tallies,
): Promise<Found | null> {
  const { history, settings } = record
  const tally = killed ? tallies.kill : tallies.power
  const fail = (message: string): void => {
    if (tally.failures.length < MOST_FAILURES) tally.failures.push(`${name}: ${message}`)
  }
  rmSync(directory, { recursive: true, force: true })
  materialise(image, directory)
  tally.states++
  let checked: Checked
  try {
    const moment = { history, at, killed, syncedCommits: settings.commitAcks === 'all' }
    checked = await check(directory, { settings, moment, random: seededRandom(seed), goOnShare })
  } catch (error) {
    tally.wrong++
    fail(error instanceof Error ? `${error.stack}` : String(error))
    return null
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  for (const mode of ['all', 'one'] as const) {
    tally[mode].acknowledged += checked[mode].acknowledged
    tally[mode].lost += checked[mode].lost
  }
  tally.wrong += checked.wrong.length
  const lost = checked.all.lost + (killed ? checked.one.lost : 0)
  if (lost === 0 && checked.wrong.length === 0) return checked.found
  fail(
    [...(lost > 0 ? [`${lost} acknowledged records are lost: ${checked.missing[0]}`] : []), ...checked.wrong].join(
      '; ',
    ),
  )
  return null
}
