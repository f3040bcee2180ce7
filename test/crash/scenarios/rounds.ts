import { BrokerProcess, type BrokerProcessOptions } from '../../support/broker-process.js'
import type { Random } from '../../support/random.js'
import { type KillPoint, kill, restart } from './kill.js'

/** What goes on until the broker is gone, and the moment for that. */
export interface DoomedWork {
  readonly point: KillPoint
  readonly work: readonly Promise<unknown>[]
}

export interface RoundSteps {
  /** Makes what all rounds work on. */
  readonly prepare?: (broker: BrokerProcess) => Promise<void>
  readonly work: (broker: BrokerProcess, round: number) => DoomedWork
  /** Looks at what is left, before the next start. */
  readonly killed?: (broker: BrokerProcess) => Promise<void> | void
  /** Holds what the next broker has against what this one acknowledged. */
  readonly compare: (broker: BrokerProcess) => Promise<void>
}

/** Kills a broker at a random moment of each round, and starts it again. */
export async function killInRounds(
  options: BrokerProcessOptions,
  random: Random,
  rounds: number,
  steps: RoundSteps,
): Promise<void> {
  let broker = await BrokerProcess.start(options)
  await steps.prepare?.(broker)
  for (let round = 0; round < rounds; round++) {
    const { point, work } = steps.work(broker, round)
    await point.reached
    await kill(broker, random)
    await Promise.all(work)
    await steps.killed?.(broker)
    broker = await restart(options, random)
    await steps.compare(broker)
  }
  await broker.stop()
}
