import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrokerProcess, type BrokerProcessOptions } from '../../support/broker-process.js'
import type { Random } from '../../support/random.js'

/**
 * Options of a broker whose logs roll, sync and checkpoint all the while.
 *
 * @param properties - further lines of its configuration
 */
export async function busyBroker(directory: string, properties: readonly string[] = []): Promise<BrokerProcessOptions> {
  const config = join(directory, 'server.properties')
  await writeFile(config, ['log.flush.offset.checkpoint.interval.ms=20', ...properties, ''].join('\n'))
  return {
    dataDir: join(directory, 'data'),
    args: ['--config', config, '--segment-bytes', '262144', '--index-interval-bytes', '1024'],
  }
}

/** Before the beginning: what the kill is to interrupt has enough to do by then. */
const MOST_BEFORE = 2000

/** Counts answers: when so many have come, it is time to kill. Those before the beginning do not count. */
export class KillPoint {
  readonly reached: Promise<void>
  #answersLeft: number
  #before = 0
  #reach: () => void = () => {}
  /** Null: it has begun. */
  #begin: Promise<unknown> | null = null

  constructor(random: Random, mostAnswers: number, begin?: Promise<unknown>) {
    this.#answersLeft = random.integer(1, mostAnswers)
    if (begin !== undefined) {
      this.#begin = begin.then(() => {
        this.#begin = null
      })
    }
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
  }

  /** Whoever could go on for ever before the beginning, faster than what begins then gets on, waits for what this returns. */
  answered(): Promise<unknown> | null {
    if (this.#begin === null) {
      if (--this.#answersLeft === 0) this.#reach()
      return null
    }
    return ++this.#before > MOST_BEFORE ? this.#begin : null
  }
}

/** Ends the broker by kill -9, soon; now and then in the middle of a clean stop. */
export async function kill(broker: BrokerProcess, random: Random): Promise<void> {
  if (random.next() < 0.25) void broker.stop()
  await broker.killIn(random.integer(0, 20))
}

/** Starts it again; now and then it is killed in the middle of that first. */
export async function restart(options: BrokerProcessOptions, random: Random): Promise<BrokerProcess> {
  while (random.next() < 0.3) {
    const broker = BrokerProcess.spawn(options)
    await Promise.race([sleep(random.integer(20, 200)), broker.exited()])
    await broker.kill()
  }
  return await BrokerProcess.start(options)
}
