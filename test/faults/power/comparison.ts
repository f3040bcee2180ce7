import type { BrokerProcess } from '../../support/broker-process.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import type { Random } from '../../support/seeded-random.js'
import type { Cast } from './cast.js'
import type { Life } from './life.js'
import type { FoundLog, PartitionLedger } from './partition-ledger.js'
import type { EndPlan, RoundPlan } from './plan.js'
import { type Acks, type Fault, faultOf, isPromised, modeOf } from './promise.js'
import { readBack } from './read-back.js'
import type { Tally } from './tally.js'
import { type FoundTopic, foundTopics } from './topics.js'
import type { WritingContext } from './writer.js'

/** pino's. */
const ERROR_LEVEL = 50
const NOTHING: FoundLog = { start: 0, end: 0, records: [] }

/** What is asked of commits and of changes of topics in a round. */
export function modesOf({ fsync, commitAcks }: RoundPlan): { readonly commits: string; readonly topics: string } {
  return {
    commits: `commits of groups, ${modeOf(fsync, commitAcks)}`,
    topics: `changes of topics${fsync === 'never' ? ', --fsync never' : ''}`,
  }
}

export interface ComparisonOptions {
  readonly fault: Fault
  readonly end: EndPlan
  readonly plan: RoundPlan
  readonly cast: Cast
  readonly context: WritingContext
  readonly life: Life
  readonly tally: Tally
  readonly random: Random
}

/** Holds what a broker has behind a bad end of the one before against what that one acknowledged. */
export class Comparison {
  readonly failures: string[] = []
  readonly #options: ComparisonOptions
  readonly #modes: { readonly commits: string; readonly topics: string }

  constructor(options: ComparisonOptions) {
    this.#options = options
    this.#modes = modesOf(options.plan)
  }

  /** Returns the names of the topics that are there. */
  async run(broker: BrokerProcess): Promise<Set<string>> {
    const { cast, life, plan } = this.#options
    const { port } = broker
    this.failures.push(...life.failures)
    for (const [mode, { count }] of life.counts) this.#add(mode, { acknowledged: count })
    // Without syncs a log may be worse than cut off.
    const reported = plan.fsync === 'never' ? [] : broker.log.filter(({ level }) => level >= ERROR_LEVEL)
    for (const line of reported) this.failures.push(`the start reports: ${JSON.stringify(line)}`)
    const peer = await KafkaPeer.connect(port)
    const there = await foundTopics(peer)
    this.#compareNames(there)
    for (const changer of cast.changers) {
      for (const text of await changer.settle(peer, there)) this.#lost(this.#modes.topics, 1, text)
    }
    for (const { name, partitions, losesRecords } of cast.topics) {
      for (const partition of partitions) await this.#comparePartition(port, partition, there.has(name), losesRecords)
    }
    for (const committer of cast.committers) {
      if (!there.has(committer.partition.topic)) committer.forget()
      const { lost, wrong } = await committer.settle(port)
      this.#wrong(this.#modes.commits, wrong)
      if (lost !== null) this.#lost(this.#modes.commits, 1, lost)
    }
    for (const writer of cast.writers) writer.resume(this.#isPromisedWith(writer.acks))
    return new Set(there.keys())
  }

  #compareNames(there: ReadonlyMap<string, FoundTopic>): void {
    const { topics, changers } = this.#options.cast
    const known = new Set([...topics.map(({ name }) => name), ...changers.flatMap(({ names }) => names)])
    const unknown = [...there.keys()].filter((name) => !known.has(name))
    this.#wrong(
      this.#modes.topics,
      unknown.map((name) => `the topic ${name} was never made`),
    )
    for (const { name } of topics) if (!there.has(name)) this.#lost(this.#modes.topics, 1, `the topic ${name} is gone`)
  }

  async #comparePartition(
    port: number,
    partition: PartitionLedger,
    isThere: boolean,
    losesRecords: boolean,
  ): Promise<void> {
    const { cast, context, plan, random } = this.#options
    const general = modeOf(plan.fsync, 'all')
    const wire = random.pick(['MyKafka', 'Kafka'] as const)
    let found = NOTHING
    try {
      if (isThere) found = await readBack(port, partition, wire)
    } catch (error) {
      this.#wrong(general, [`${partition.name} cannot be read: ${error instanceof Error ? error.message : error}`])
      return
    }
    if (found.start > 0 && !losesRecords && plan.fsync !== 'never') {
      this.#wrong(general, [`${partition.name} begins at ${found.start}, and nobody deleted anything of it`])
    }
    for (const deleter of cast.deleters) {
      if (deleter.partition !== partition) continue
      const { lost, wrong } = deleter.settle(found)
      this.#wrong(this.#modes.topics, wrong)
      if (lost !== null) this.#lost(this.#modes.topics, 1, lost)
    }
    const { writers } = cast
    const verdict = partition.settle(found, { content: context.content, writers })
    this.#wrong(general, [...context.wrong.splice(0), ...verdict.wrong])
    for (const [number, count] of verdict.lost) {
      const mode = writers[number]?.mode ?? general
      const of = `of writer ${number} (${mode}) are gone from ${partition.name}, which ends at ${found.end}`
      this.#lost(mode, count, `${count} records ${of}`)
    }
  }

  #isPromisedWith(acks: Acks): boolean {
    const { fault, end, plan } = this.#options
    return isPromised(fault, end, plan.fsync, acks)
  }

  #isPromised(mode: string): boolean {
    const { cast, plan } = this.#options
    if (mode === this.#modes.commits) return this.#isPromisedWith(plan.commitAcks)
    const writer = cast.writers.find((each) => each.mode === mode)
    return this.#isPromisedWith(writer?.acks ?? 'all')
  }

  #add(mode: string, counts: Parameters<Tally['add']>[3]): void {
    const { fault, end, tally } = this.#options
    tally.add(faultOf(fault, end), mode, this.#isPromised(mode), counts)
  }

  #wrong(mode: string, texts: readonly string[]): void {
    if (texts.length === 0) return
    this.#add(mode, { wrong: texts.length })
    this.failures.push(...texts)
  }

  #lost(mode: string, count: number, text: string): void {
    this.#add(mode, { lost: count })
    if (this.#isPromised(mode)) this.failures.push(text)
  }
}
