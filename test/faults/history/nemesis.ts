/** What is done to the broker of a round. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrokerProcess, type BrokerProcessOptions } from '../../support/broker-process.js'
import type { Relay } from '../../support/relay.js'
import type { Random } from '../../support/seeded-random.js'
import type { SmallDisk } from '../../support/small-disk.js'
import { PROPERTIES } from './clients/topics.js'
import type { World } from './clients/world.js'

const FAULTS = ['kill -9', 'clean restart', 'stopped and continued', 'connections cut', 'disk full'] as const
export type FaultName = (typeof FAULTS)[number]

/** A row of the report, and what it does. */
export const MIXES: Readonly<Record<string, readonly FaultName[]>> = {
  'kill -9': ['kill -9'],
  'SIGSTOP, SIGCONT, connections cut': ['stopped and continued', 'connections cut'],
  'disk full and back': ['disk full'],
  'clean restarts': ['clean restart'],
  'all of them in turns': FAULTS,
}

/** The broker of a round, which clients reach through a relay, and what happens to it. */
export class Nemesis {
  readonly #relay: Relay
  readonly #random: Random
  readonly #options: BrokerProcessOptions
  readonly #disk: SmallDisk | null
  #broker: BrokerProcess | null = null
  /** What its processes wrote. */
  readonly outputs: string[] = []

  static async start(directory: string, relay: Relay, random: Random, disk: SmallDisk | null): Promise<Nemesis> {
    const config = join(directory, 'server.properties')
    await writeFile(config, `${PROPERTIES.join('\n')}\n`)
    const dataDir = join(disk?.path ?? directory, 'data')
    const nemesis = new Nemesis(relay, random, { dataDir, args: ['--config', config] }, disk)
    await nemesis.#start()
    return nemesis
  }

  private constructor(relay: Relay, random: Random, options: BrokerProcessOptions, disk: SmallDisk | null) {
    this.#relay = relay
    this.#random = random
    this.#options = options
    this.#disk = disk
  }

  /** Does one of the faults, and waits until the broker is well again. */
  async strike(world: World, faults: readonly FaultName[], recorder: Parameters<typeof recordFault>[0]): Promise<void> {
    const fault = this.#random.pick(this.#disk === null ? faults.filter((each) => each !== 'disk full') : faults)
    await recordFault(recorder, fault, async () => {
      if (fault === 'kill -9') await this.#kill()
      else if (fault === 'clean restart') await this.restart()
      else if (fault === 'stopped and continued') await this.#pause()
      else if (fault === 'connections cut') this.#relay.cut()
      else await this.#fillDisk(world)
    })
  }

  /** Stops it and starts it again. */
  async restart(): Promise<void> {
    const { code, signal } = await this.#running.stop()
    if (code !== 0) throw new Error(`a clean stop ended with ${code ?? signal}:\n${this.#running.output.slice(-3000)}`)
    this.#gone()
    await this.#start()
  }

  async stop(): Promise<void> {
    await this.#broker?.stop()
    this.#gone()
  }

  get #running(): BrokerProcess {
    if (this.#broker === null) throw new Error('the broker does not run')
    return this.#broker
  }

  async #start(): Promise<void> {
    this.#broker = await BrokerProcess.start(this.#options)
    this.#relay.to(this.#broker.port)
  }

  #gone(): void {
    if (this.#broker !== null) this.outputs.push(this.#broker.output)
    this.#broker = null
  }

  /** Now and then in the middle of a clean stop, or of the start behind. */
  async #kill(): Promise<void> {
    if (this.#random.next() < 0.25) void this.#running.stop()
    await this.#running.killIn(this.#random.integer(0, 20))
    this.#gone()
    while (this.#random.next() < 0.3) {
      const starting = BrokerProcess.spawn(this.#options)
      await sleep(this.#random.integer(20, 300))
      await starting.kill()
      this.outputs.push(starting.output)
    }
    await this.#start()
  }

  async #pause(): Promise<void> {
    const { pid } = this.#running
    process.kill(pid, 'SIGSTOP')
    // Longer, now and then, than clients wait for an answer.
    await sleep(this.#random.pick([20, 200, 500, 2200]))
    process.kill(pid, 'SIGCONT')
  }

  async #fillDisk(world: World): Promise<void> {
    const disk = this.#disk as SmallDisk
    await disk.fill()
    await world.pause(this.#random.integer(100, 600))
    await rm(join(disk.path, 'filler'))
  }
}

async function recordFault(
  recorder: ReturnType<World['client']>['recorder'],
  fault: FaultName,
  strike: () => Promise<void>,
): Promise<void> {
  await recorder.record({ on: '*', op: 'fault', fault, loses: 'nothing' }, strike)
}
