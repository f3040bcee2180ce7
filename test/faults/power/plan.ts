import type { Random } from '../../support/seeded-random.js'
import type { Acks, FsyncPolicy } from './promise.js'

/** How a broker's life ends. */
export interface EndPlan {
  /** Pulled: the plug, or the process, at any moment; stopping: in the middle of a clean stop; stopped: behind it. */
  readonly kind: 'pulled' | 'stopping' | 'stopped'
  /** Whichever comes first: so many ms, or so many answers of a kind, behind which the end comes at once. */
  readonly afterMs: number
  readonly afterAnswers: { readonly kind: 'any' | 'records' | 'commits' | 'topics'; readonly count: number } | null
  /** From the decision to the end. */
  readonly delayMs: number
  /** How long the process goes on without its disk. */
  readonly afterlifeMs: number
  /** The same end in the midst of the starts behind it, so many ms behind each. */
  readonly interruptedStarts: readonly number[]
  /** Whether the system writes pages back meanwhile. */
  readonly writesBack: boolean
}

/** What a round does, by its seed. */
export interface RoundPlan {
  readonly fsync: FsyncPolicy
  readonly commitAcks: Acks
  readonly mountOptions: string
  readonly brokerArgs: readonly string[]
  /** Who writes: all; the few that let nothing else be synced beside them; nobody, while topics and commits change. */
  readonly mood: 'busy' | 'quiet' | 'no records'
  readonly ends: readonly EndPlan[]
}

export function planRound(random: Random): RoundPlan {
  const fsync = random.pick(['acks', 'acks', 'acks', 'always', 'always', 'never'] as const)
  const commitAcks = random.pick([1, 'all'] as const)
  const overrides = {
    // Often enough to sync all the while, or never.
    'log.flush.offset.checkpoint.interval.ms': random.pick([20, 200, 60_000, 60_000]),
    'log.retention.check.interval.ms': random.pick([5, 50]),
    'log.cleaner.backoff.ms': random.pick([1, 50]),
    'log.segment.delete.delay.ms': random.pick([0, 10, 60_000]),
    'offsets.commit.required.acks': commitAcks,
    'offsets.topic.segment.bytes': random.pick([4096, 1 << 20]),
  }
  const mood = random.pick(['busy', 'busy', 'busy', 'quiet', 'no records'] as const)
  return {
    fsync,
    commitAcks,
    mountOptions: mountOptions(random),
    brokerArgs: [
      ...['--fsync', fsync],
      ...['--segment-bytes', String(random.pick([16_384, 65_536, 262_144]))],
      ...['--index-interval-bytes', String(random.pick([512, 4096]))],
      ...Object.entries(overrides).flatMap(([name, value]) => ['--override', `${name}=${value}`]),
    ],
    mood,
    ends: Array.from({ length: random.integer(1, 3) }, () => planEnd(mood, random)),
  }
}

/** With data=writeback a file's size may be on the disk before its data is. */
function mountOptions(random: Random): string {
  const mode = random.pick(['data=ordered', 'data=ordered,nodelalloc', 'data=writeback', 'data=writeback'])
  return `${mode},commit=${random.pick([1, 5])}`
}

/** Where so many answers do not come. */
const MOST_MS = 1500

const ANSWERS = {
  busy: ['any', 'any', 'records', 'commits', 'topics'],
  quiet: ['any', 'records'],
  'no records': ['commits', 'topics', 'topics'],
} as const

function planEnd(mood: RoundPlan['mood'], random: Random): EndPlan {
  const onAnswer = random.next() < 0.7
  const kind = random.pick(ANSWERS[mood])
  const most = kind === 'topics' ? 30 : 1500
  return {
    kind: random.pick(['pulled', 'pulled', 'pulled', 'pulled', 'pulled', 'pulled', 'stopping', 'stopped']),
    afterMs: onAnswer ? MOST_MS : Math.round(5 * 60 ** random.next()),
    afterAnswers: onAnswer ? { kind, count: Math.ceil(most ** random.next()) } : null,
    // At once: what was just acknowledged is what may not be on the disk.
    delayMs: onAnswer && random.next() < 0.7 ? 0 : random.integer(0, 10),
    afterlifeMs: random.pick([0, 0, 10]),
    interruptedStarts: random.next() < 0.2 ? [Math.round(20 * 25 ** random.next())] : [],
    writesBack: random.next() < 0.5,
  }
}
