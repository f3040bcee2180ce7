import { setTimeout as sleep } from 'node:timers/promises'
import { BrokerProcess, type BrokerProcessOptions } from '../../support/broker-process.js'
import { dropPeers } from '../../support/peer.js'
import { type Random, seededRandom } from '../../support/seeded-random.js'
import type { Outcome } from '../harness.js'
import { type Cast, castRound, makeStandingTopics } from './cast.js'
import { Comparison, type ComparisonOptions, modesOf } from './comparison.js'
import { Content } from './content.js'
import { type Disk, KillDisk, PowerDisk } from './disk.js'
import { Life } from './life.js'
import { type EndPlan, planRound, type RoundPlan } from './plan.js'
import { type Fault, faultOf, isPromised } from './promise.js'
import { Tally } from './tally.js'
import type { WritingContext } from './writer.js'

/** What breaks mostly breaks in many places. */
const MOST_FAILURES = 8

/** One round: a broker on a fresh disk, its end, and what is left; then again on the same disk. */
export async function runRound(fault: Fault, seed: number, signal: AbortSignal): Promise<Outcome> {
  const random = seededRandom(seed)
  const plan = planRound(random)
  const disk = fault === 'power' ? await PowerDisk.make(plan.mountOptions) : new KillDisk()
  try {
    const round = new Round(fault, plan, disk, random, signal)
    await round.run()
    const failures = round.failures.slice(0, MOST_FAILURES).map((failure) => `seed ${seed}: ${failure}`)
    const more = round.failures.length - failures.length
    if (more > 0) failures.push(`seed ${seed}: and ${more} more`)
    return { rows: round.tally.rows, failures }
  } finally {
    await disk.close()
  }
}

class Round {
  readonly failures: string[] = []
  readonly tally = new Tally()
  readonly #fault: Fault
  readonly #plan: RoundPlan
  readonly #disk: Disk
  readonly #random: Random
  readonly #signal: AbortSignal
  readonly #cast: Cast
  readonly #broker: BrokerProcessOptions
  readonly #shared: Omit<ComparisonOptions, 'end' | 'life'>

  constructor(fault: Fault, plan: RoundPlan, disk: Disk, random: Random, signal: AbortSignal) {
    this.#fault = fault
    this.#plan = plan
    this.#disk = disk
    this.#random = random
    this.#signal = signal
    const context: WritingContext = {
      content: new Content(random.integer(1, 2 ** 31 - 1)),
      fsync: plan.fsync,
      producerIds: new Set(),
      wrong: [],
    }
    this.#cast = castRound(plan, context, random)
    this.#broker = { dataDir: disk.dataDir, under: disk.under, args: plan.brokerArgs }
    this.#shared = { fault, plan, cast: this.#cast, context, tally: this.tally, random }
  }

  async run(): Promise<void> {
    let broker = await BrokerProcess.start(this.#broker)
    let there: ReadonlySet<string> = new Set()
    try {
      for (const [index, end] of this.#plan.ends.entries()) {
        if (this.#signal.aborted) return
        await makeStandingTopics(broker.port, this.#cast, there)
        const life = new Life(end, this.#signal)
        await this.#live(broker, life, end)
        await this.#interruptStarts(end)
        const next = await this.#restart(end, life)
        if (next === null) return
        broker = next
        const about = `${this.#fault}, ${end.kind}, --fsync ${this.#plan.fsync}, end ${index + 1}`
        const comparison = new Comparison({ ...this.#shared, end, life })
        there = await comparison.run(broker)
        this.failures.push(...comparison.failures.map((failure) => `${about}: ${failure}`))
        dropPeers()
        if (this.failures.length > 0) return
      }
    } finally {
      await broker.kill()
    }
  }

  /** Null where there is nothing that a broker can start on, and nobody was promised that there is. */
  async #restart(end: EndPlan, life: Life): Promise<BrokerProcess | null> {
    try {
      return await BrokerProcess.start(this.#broker)
    } catch (error) {
      if (isPromised(this.#fault, end, this.#plan.fsync, 'all')) throw error
      for (const [mode, { count }] of life.counts) {
        this.tally.add(faultOf(this.#fault, end), mode, false, { acknowledged: count, lost: count })
      }
      return null
    }
  }

  /** From the start of work to the bad end. */
  async #live(broker: BrokerProcess, life: Life, end: EndPlan): Promise<void> {
    const { writers, committers, deleters, changers } = this.#cast
    const { port } = broker
    const modes = modesOf(this.#plan)
    if (end.writesBack) await this.#disk.writeBack(this.#random.integer(0, 2 ** 31 - 1))
    const work = [
      ...writers.map((writer) => writer.write(port, life)),
      ...committers.map((committer) => committer.commit(port, life, modes.commits)),
      ...deleters.map((deleter) => deleter.delete(port, life, modes.topics)),
      ...changers.map((changer) => changer.change(port, life, modes.topics)),
    ]
    await life.due
    life.ending()
    if (end.kind === 'stopping') void broker.stop()
    if (end.kind === 'stopped') await broker.stop()
    await this.#disk.end(broker, end.delayMs, () => life.unplugged())
    if (end.afterlifeMs > 0 && this.#fault === 'power') await sleep(end.afterlifeMs)
    await broker.kill()
    life.over()
    await Promise.all(work)
    await this.#disk.recover()
  }

  /** Starts that come to the same end before they are through. */
  async #interruptStarts({ interruptedStarts }: EndPlan): Promise<void> {
    for (const milliseconds of interruptedStarts) {
      const broker = BrokerProcess.spawn(this.#broker)
      await this.#disk.end(broker, milliseconds)
      await broker.kill()
      await this.#disk.recover()
    }
  }
}
