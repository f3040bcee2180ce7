import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Client } from '../../src/client/client.js'
import { descriptorLimit } from '../../src/server/descriptor-limit.js'
import { BrokerProcess } from '../support/broker-process.js'
import { temporaryDirectory } from '../support/temporary.js'

const PARTITIONS = 7200
const IN_FLIGHT = 64
const TIMEOUT_MS = 600_000

/** What a process has of what the system limits. */
function openedBy(pid: number): { descriptors: number; mappings: number } {
  const mappings = readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n').length
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, mappings }
}

function mappingLimit(): number {
  return Number(readFileSync('/proc/sys/vm/max_map_count', 'latin1'))
}

async function inEach(run: (partition: number) => Promise<void>): Promise<void> {
  let next = 0
  const runOneByOne = async (): Promise<void> => {
    for (let partition = next++; partition < PARTITIONS; partition = next++) await run(partition)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, runOneByOne))
}

async function writeToEach(port: number, round: number): Promise<void> {
  const client = await Client.connect({ port, requestTimeoutMs: TIMEOUT_MS })
  await inEach(async (partition) => {
    const sent = await client.produce('many', [{ value: `${partition}-${round}` }], { partition })
    expect(sent).toEqual({ partition, baseOffset: round, count: 1 })
  })
  await client.close()
}

async function expectInEach(port: number, rounds: number): Promise<void> {
  const client = await Client.connect({ port, requestTimeoutMs: TIMEOUT_MS })
  await inEach(async (partition) => {
    const values = (await client.fetch('many', partition, 0)).map(({ value }) => value?.toString())
    expect(values).toEqual(Array.from({ length: rounds }, (_, round) => `${partition}-${round}`))
  })
  await client.close()
}

function expectWithinLimits({ pid, output }: BrokerProcess): void {
  const { descriptors, mappings } = openedBy(pid)
  expect(descriptors).toBeLessThan(descriptorLimit())
  expect(mappings).toBeLessThan(mappingLimit())
  // One file a partition, which stay open.
  if (descriptorLimit() >= 2.5 * PARTITIONS) expect(descriptors).toBeGreaterThan(PARTITIONS)
  expect(output).not.toMatch(/EMFILE|ENFILE|ENOMEM/)
}

it(
  `opens ${PARTITIONS} partitions within the limits that the machine has, takes records in all of them, and has them behind a stop and kill -9`,
  async () => {
    const dataDir = await temporaryDirectory()
    const first = await BrokerProcess.start({ dataDir })
    const client = await Client.connect({ port: first.port, requestTimeoutMs: TIMEOUT_MS })
    await client.createTopic('many', PARTITIONS)
    await client.close()
    await writeToEach(first.port, 0)
    await writeToEach(first.port, 1)
    expectWithinLimits(first)
    expect(await first.stop()).toEqual({ code: 0, signal: null })

    const behindStop = await BrokerProcess.start({ dataDir })
    await writeToEach(behindStop.port, 2)
    await expectInEach(behindStop.port, 3)
    expectWithinLimits(behindStop)
    await behindStop.kill()

    const behindKill = await BrokerProcess.start({ dataDir })
    await writeToEach(behindKill.port, 3)
    await expectInEach(behindKill.port, 4)
    expectWithinLimits(behindKill)
    expect(await behindKill.stop()).toEqual({ code: 0, signal: null })
  },
  TIMEOUT_MS,
)
