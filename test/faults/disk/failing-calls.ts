/** Lives in which a call fails, and what came of it. */
import { dirname, relative } from 'node:path'
import { isErrorCode } from '../../../src/errors.js'
import { type Random, seededRandom } from '../../support/random.js'
import type { History } from './history.js'
import type { Asked } from './marks.js'
import type { CallFault } from './recorder.js'
import { checkStates, type Record, type RoundOptions, recordLife, type Tallies } from './rounds.js'
import type { TraceEvent } from './trace.js'

/** What each kind of call may fail with. */
const ERRORS: { readonly [call in CallFault['call']]: readonly CallFault['errno'][] } = {
  open: ['EIO', 'EMFILE', 'ENOSPC'],
  write: ['EIO', 'ENOSPC'],
  sync: ['EIO'],
  allocate: ['ENOSPC', 'EIO'],
  truncate: ['EIO'],
  rename: ['EIO', 'ENOSPC'],
  link: ['EIO', 'ENOSPC'],
  unlink: ['EIO'],
  mkdir: ['EIO', 'ENOSPC'],
}

/** Which events are of which call. */
const CALL_OF: { readonly [kind in TraceEvent['kind']]?: CallFault['call'] } = {
  open: 'open',
  write: 'write',
  sync: 'sync',
  allocate: 'allocate',
  truncate: 'truncate',
  rename: 'rename',
  link: 'link',
  remove: 'unlink',
  mkdir: 'mkdir',
}

const REFUSES_WRITES = 'the log refuses writes until a restart'

/** Of so many lives of the same seed a call fails each; then so many states are checked, most of them behind it. */
export interface FailingOptions {
  readonly lives: number
  readonly states: number
}

export async function failingRound(
  well: Record,
  { lives, states }: FailingOptions,
  options: RoundOptions,
  tallies: Tallies,
  silent: Map<string, number>,
): Promise<void> {
  const random = seededRandom(options.seed + 1)
  for (let life = 0; life < lives && !options.signal.aborted; life++) {
    const fault = randomFault(random, well.events)
    if (fault === null) continue
    const record = await recordLife(options, { generation: 0, settings: well.settings, begin: null, fault })
    const { history } = record
    const wrong = [...misbehaviour(record)]
    for (const message of wrong) tallies.power.failures.push(`${record.name}: ${message}`)
    tallies.power.wrong += wrong.length
    const first = history.faults[0]
    if (first === undefined) continue
    if (!isNoticed(history, first.at)) {
      const what = `${fault.call} ${fault.errno} of ${relative(record.directory, first.path).replace(/\d{20}|[\w-]{22}|\d+/g, '*')}`
      silent.set(what, (silent.get(what) ?? 0) + 1)
    }
    await checkStates(record, { states, from: first.at, goOnShare: 0.25 }, random, options, tallies)
  }
}

function randomFault(random: Random, events: readonly TraceEvent[]): CallFault | null {
  const call = random.pick(Object.keys(ERRORS) as CallFault['call'][])
  const calls = events.filter(({ kind }) => CALL_OF[kind] === call).length
  if (calls === 0) return null
  return {
    call,
    skip: random.integer(0, calls - 1),
    count: random.pick([1, 1, 3, 1000]),
    errno: random.pick(ERRORS[call]),
    short: call === 'write' && random.next() < 0.4,
  }
}

/** Whether anybody was told. */
function isNoticed({ refusals, logged }: History, at: number): boolean {
  return refusals.some((refusal) => refusal.at > at) || logged.some((line) => line.at > at)
}

function* misbehaviour({ history, directory }: Record): Generator<string> {
  for (const message of history.broken) yield `nobody caught ${message}`
  for (const { asked, code, message } of history.refusals) {
    if (!isErrorCode(code)) yield `${JSON.stringify(asked).slice(0, 100)} failed with ${code}: ${message}`
  }
  for (const { at, message, directory: refused } of history.logged) {
    if (message === REFUSES_WRITES) yield* acknowledged(history, relative(directory, refused), at, [1, 'all'])
  }
  for (const { at, call, path } of history.faults) {
    if (call === 'sync' && path.endsWith('.log'))
      yield* acknowledged(history, relative(directory, dirname(path)), at, ['all'])
  }
}

/** Appends that were sent behind a moment and acknowledged before the log was opened again. */
function* acknowledged(
  history: History,
  place: string,
  at: number,
  acks: readonly Extract<Asked, { do: 'send' }>['acks'][],
): Generator<string> {
  const opened = history.openings.find(({ askedAt }) => askedAt > at)?.askedAt ?? Number.POSITIVE_INFINITY
  const [name, number] = place.split('/')
  const topic = history.topics.findLast((each) => each.name === name && each.created.askedAt < at)
  if (topic === undefined || topic.deleted.askedAt < opened) return
  for (const record of topic.partitions[Number(number)]?.told ?? []) {
    if (record.askedAt > at && record.doneAt < opened && acks.includes(record.acks)) {
      yield `${place} acknowledged ${record.offset} behind a failed sync`
    }
  }
}
