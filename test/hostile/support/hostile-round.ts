import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import * as frames from '../../support/frames.js'
import { makeTopicWith } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { Peer } from '../../support/peer.js'
import { seededRandom } from '../../support/seeded-random.js'
import { type Conversation, TOPICS } from './corpus.js'
import { visit, whatToSay } from './stranger.js'
import { type Account, makeWitnessTopics, Witness } from './witness.js'

export interface RoundOptions {
  readonly seed: number
  /** Strangers at the same time, and how often each of them comes. */
  readonly strangers: number
  readonly visits: number
}

/** How long connections that are gone may be seen. */
const GONE_MS = 20_000

/** Makes what conversations are about. */
export async function prepare(port: number): Promise<void> {
  const kafka = await KafkaPeer.connect(port)
  const ours = await Peer.connect(port)
  await makeTopicWith(kafka, TOPICS.stored, {}, 3)
  await makeTopicWith(kafka, TOPICS.compacted, { 'cleanup.policy': 'compact' }, 2)
  await ours.call(frames.createTopic(TOPICS.ours, 3))
  await makeWitnessTopics(port)
  kafka.peer.socket.destroy()
  ours.socket.destroy()
}

/** Strangers come and go; beside them a client goes about its business. Returns what became of that. */
export async function hostileRound(
  port: number,
  conversations: readonly Conversation[],
  { seed, strangers, visits }: RoundOptions,
): Promise<Account[]> {
  const witness = await Witness.start(port, `${seed}`)
  const come = async (stranger: number): Promise<void> => {
    const random = seededRandom(seed * 1000 + stranger)
    for (let i = 0; i < visits; i++) await visit(port, whatToSay(conversations, random), random)
  }
  await Promise.all(Array.from({ length: strangers }, (_, i) => come(i)))
  return await witness.end()
}

/** Sockets that a process has open. */
export function socketsOf(pid: number): number {
  let count = 0
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')) count++
    } catch {
      // It was closed meanwhile.
    }
  }
  return count
}

/** Waits until a process has no more sockets than these. Returns how many it has. */
export async function socketsGone(pid: number, most: number): Promise<number> {
  const deadline = performance.now() + GONE_MS
  let sockets = socketsOf(pid)
  while (sockets > most && performance.now() < deadline) {
    await delay(20)
    sockets = socketsOf(pid)
  }
  return sockets
}

/** Of a process in memory, in MiB. */
export function residentMiB(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const of = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
  return { now: Math.round(of('VmRSS')), peak: Math.round(of('VmHWM')) }
}

/** What of a broker's output is no line of its log as they are, or says that the broker was at fault. */
export function faultsIn(output: string): string[] {
  const problems: string[] = []
  for (const line of output.split('\n')) {
    if (line === '' || line.startsWith('listening on')) continue
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what they are looked for
    if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(line))
      problems.push(`control characters: ${JSON.stringify(line)}`)
    try {
      if ((JSON.parse(line) as { level: number }).level >= 50) problems.push(line.slice(0, 1000))
    } catch {
      problems.push(`no line of the log: ${line.slice(0, 1000)}`)
    }
  }
  return problems
}
