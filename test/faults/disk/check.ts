/** Starts the engine on what a crash has left, holds it against the history, and has it go on. */
import { readdirSync } from 'node:fs'
import { encodePacked } from '../../../src/log/record-codec.js'
import { native } from '../../../src/native/load.js'
import { type MemoryLogger, memoryLogger } from '../../support/memory-logger.js'
import type { Random } from '../../support/random.js'
import { type Engine, openEngine, openLog } from './engine.js'
import { type Found, readFound, readFoundLog } from './found.js'
import type { EngineSettings } from './marks.js'
import { judge, type Moment, type Verdict } from './verdict.js'

export interface Checked extends Verdict {
  readonly found: Found
}

/** Whether the state is one that only a failing disk leaves: then damage may be reported. */
export interface CheckOptions {
  readonly settings: EngineSettings
  readonly moment: Moment
  readonly random: Random
  /** How often it writes more, and is started once more. */
  readonly goOnShare: number
}

const OPEN_MS = 20_000

export async function check(directory: string, options: CheckOptions): Promise<Checked> {
  const { settings, moment, random } = options
  if (settings.kind === 'log') return await checkLog(directory, options)
  const logger = memoryLogger()
  const engine = await withinTime(openEngine(directory, settings, logger))
  let checked: Checked
  let added: Added | null = null
  try {
    const found = await readFound(engine)
    checked = { ...judge(found, moment), found }
    checked.wrong.push(...errorsOf(logger), ...strays(directory))
    if (random.next() < options.goOnShare) added = await goOn(engine, random)
  } finally {
    await engine.close()
  }
  if (added !== null) {
    const again = await openEngine(directory, settings, memoryLogger())
    try {
      checked.wrong.push(...(await differences(again, checked.found, added)))
    } finally {
      await again.close()
    }
  }
  return checked
}

async function checkLog(directory: string, { settings, moment, random, goOnShare }: CheckOptions): Promise<Checked> {
  const logger = memoryLogger()
  const log = await withinTime(openLog(directory, settings, logger))
  let checked: Checked
  let offset = -1
  try {
    const found = await readFoundLog(log, settings)
    checked = { ...judge(found, moment), found }
    checked.wrong.push(...errorsOf(logger), ...strays(directory))
    if (random.next() < goOnShare) offset = await log.append({ key: 'new', value: 'new' }, { acks: 'all' })
  } finally {
    await log.close()
  }
  if (offset < 0) return checked
  const again = await openLog(directory, settings, memoryLogger())
  try {
    const { records = [] } = (await readFoundLog(again, settings)).topics[0]?.logs[0] ?? {}
    const before = checked.found.topics[0]?.logs[0]?.records
    const last = records.at(-1)
    if (last?.offset !== offset || last.value !== 'new') checked.wrong.push('what was written behind the crash is gone')
    if (JSON.stringify(records.slice(0, -1)) !== JSON.stringify(before))
      checked.wrong.push('the next start finds other records')
  } finally {
    await again.close()
  }
  return checked
}

/** A start that waits for something for ever is one that fails. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the engine did not start in ${OPEN_MS} ms`)), OPEN_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A crash damages nothing that was synced, and the rest is cut without a fuss. */
function errorsOf(logger: MemoryLogger): string[] {
  return logger.lines
    .filter(({ level }) => level === 'error')
    .map(({ message, fields }) => `logged: ${message} ${JSON.stringify(fields, errorText)}`)
}

function errorText(_: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value
}

const OF_PARTITION = /^(\d{20}\.(log|index|timeindex|compacted|snapshot|log\.cut-\d+(\.\d+)?)|partition\.metadata)$/
/** An embedded log's own files are beside its segments. */
const OF_BROKER = /^(lock|(meta\.properties|clean-shutdown|[a-z-]+-offset-checkpoint)(\.tmp)?|creating|deleted)$/

/** Files that nobody needs and nobody will remove. */
function strays(directory: string): string[] {
  const left: string[] = []
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const place = entry.parentPath.slice(directory.length + 1)
    const isKnown = place === '' && entry.isDirectory()
    if (isKnown || (entry.isDirectory() && !place.startsWith('@broker'))) continue
    const known = place === '' ? [OF_BROKER, OF_PARTITION] : place === '@broker' ? [OF_BROKER] : [OF_PARTITION]
    if (!place.startsWith('@broker/') && known.some((names) => names.test(entry.name))) continue
    left.push(`left over: ${place}/${entry.name}`)
  }
  return left
}

interface Added {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly value: string
}

const NEW_TOPIC = 'made-behind-the-crash'

/** Writes a record somewhere, and makes a topic. */
async function goOn({ logs }: Engine, random: Random): Promise<Added> {
  const topics = logs.topics().filter(({ internal, recordFormat }) => !internal && recordFormat === 'mykafka')
  const topic = topics.length === 0 ? await logs.createTopic(NEW_TOPIC, 1) : random.pick(topics)
  const partition = random.integer(0, topic.partitions.length - 1)
  const value = `behind the crash ${random.next()}`
  const records = encodePacked([{ key: 'new', value }])
  const batch = { records, count: 1, timestamp: Date.now(), storedLength: native.checkPacked(records, 1) }
  const { baseOffset } = await logs.partition(topic.name, partition).append([batch], 'all')
  if (topic.name !== NEW_TOPIC) await logs.createTopic(NEW_TOPIC, 1)
  return { topic: topic.name, partition, offset: baseOffset, value }
}

/** What another start finds is what the first one found, and the new record. */
async function differences(engine: Engine, before: Found, added: Added): Promise<string[]> {
  const wrong: string[] = []
  const now = await readFound(engine)
  if (now.clusterId !== before.clusterId) wrong.push('the next start has another cluster id')
  for (const topic of before.topics) {
    const again = now.topics.find(({ id }) => id === topic.id)
    for (const [number, log] of topic.logs.entries()) {
      const found = again?.logs[number]
      const place = `${topic.name}/${number}`
      if (!log || !found) {
        wrong.push(`the next start has no ${place}`)
        continue
      }
      const isGrown = topic.name === added.topic && number === added.partition
      const records = found.records.filter(({ offset }) => !isGrown || offset !== added.offset)
      if (JSON.stringify(records) !== JSON.stringify(log.records))
        wrong.push(`the next start finds other records in ${place}`)
    }
  }
  const log = now.topics.find(({ name }) => name === added.topic)?.logs[added.partition]
  const found = log?.records.find(({ offset }) => offset === added.offset)
  if (found?.value !== added.value)
    wrong.push(`what was written behind the crash is not at ${added.offset} of ${added.topic}`)
  if (!now.topics.some(({ name }) => name === NEW_TOPIC)) wrong.push('a topic that was made behind the crash is gone')
  return wrong
}
