import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { topicTree } from '../support/data-directory.js'
import { canInject, underFault } from '../support/injected-fault.js'
import { type Random, testRandom } from '../support/random.js'
import { temporaryDirectory } from '../support/temporary.js'
import { Account, ARGS, expectAllThere, PARTITIONS, work } from './scenarios/account.js'
import { ChangedTopic, changeTopics, expectWhole } from './scenarios/topic-changes.js'

const TIMEOUT_MS = 240_000

/** Runs the work on a broker that the fault may kill at any time. Returns whether it did. */
async function workUnderFault(dataDir: string, under: string[], random: Random, account: Account): Promise<boolean> {
  const doomed = BrokerProcess.spawn({ dataDir, args: ARGS, under })
  try {
    await doomed.ready()
    await work(await Client.connect({ port: doomed.port }), random, account)
    await doomed.stop()
  } catch (error) {
    if ((await doomed.exited()).signal !== 'SIGKILL') throw error
  }
  return (await doomed.exited()).signal === 'SIGKILL'
}

describe.runIf(canInject)('killed at a system call', () => {
  /** With how often a thread makes it, about. */
  const calls: [names: string, often: number][] = [
    ['rename', 8],
    ['mkdir', 12],
    ['fsync', 50],
    ['fdatasync', 8],
    ['pwritev,pwritev2', 60],
    ['ftruncate', 15],
    ['fallocate', 15],
  ]

  it.each(calls)('%s: what was acknowledged is there', { timeout: TIMEOUT_MS }, async (names, often) => {
    const random = testRandom()
    let kills = 0
    for (let round = 0; round < 5; round++) {
      const dataDir = join(await temporaryDirectory(), 'data')
      const account = new Account()
      // The second time in a start that has to recover, or behind it.
      for (let times = 0; times < 2; times++) {
        const under = underFault(names.split(','), `signal=SIGKILL:when=${random.integer(1, often)}`)
        if (await workUnderFault(dataDir, under, random, account)) kills++
      }
      const broker = await BrokerProcess.start({ dataDir, args: ARGS })
      const client = await Client.connect({ port: broker.port })
      await expectAllThere(client, account)
      await work(client, random, account)
      await expectAllThere(client, account)
      for (const [topic, partitions] of await topicTree(dataDir)) {
        if (!topic.startsWith('__')) expect(partitions, topic).toHaveLength(PARTITIONS)
      }
      expect(await broker.stop()).toEqual({ code: 0, signal: null })
    }
    expect(kills).toBeGreaterThan(0)
  })

  /** With how often a thread makes it while topics are changed, about. */
  const ofChanges: [names: string, often: number][] = [
    ['rename', 20],
    ['mkdir', 15],
    ['fsync', 40],
    ['fdatasync', 15],
    ['unlink,unlinkat', 15],
    ['rmdir', 6],
  ]

  it.each(ofChanges)('%s: a topic is as it was or as it was to be', { timeout: TIMEOUT_MS }, async (names, often) => {
    const random = testRandom()
    const topics = ['a', 'b', 'c'].map((name) => new ChangedTopic(name))
    const dataDir = join(await temporaryDirectory(), 'data')
    let kills = 0
    for (let round = 0; round < 8; round++) {
      const under = underFault(names.split(','), `signal=SIGKILL:when=${random.integer(1, often)}`)
      const doomed = BrokerProcess.spawn({ dataDir, args: ARGS, under })
      try {
        await doomed.ready()
        await changeTopics(doomed.port, topics, random, 60)
        await doomed.stop()
      } catch (error) {
        if ((await doomed.exited()).signal !== 'SIGKILL') throw error
      }
      if ((await doomed.exited()).signal === 'SIGKILL') kills++
      const broker = await BrokerProcess.start({ dataDir, args: ARGS })
      await expectWhole(broker.port, dataDir, topics)
      await changeTopics(broker.port, topics, random, 20)
      await expectWhole(broker.port, dataDir, topics)
      expect(await broker.stop()).toEqual({ code: 0, signal: null })
    }
    expect(kills).toBeGreaterThan(0)
  })
})
