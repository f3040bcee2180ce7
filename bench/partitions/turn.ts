import { Client } from '../../src/client/index.js'
import { cpuSecondsOf, openedBy, residentMiB } from '../support/process-usage.js'
import { canPin, pin } from '../support/server-process.js'
import { StartedBroker } from '../support/started-broker.js'
import { timed } from '../support/statistics.js'
import { type Layout, topicsOf } from './layouts.js'
import { type Load, type Outcome, type PartitionWriter, writeByClient } from './load.js'

const BROKER_CORE = '0'

/** Each part of a turn. */
export interface Loads {
  readonly pipelined: Load
  readonly paced: Load
  readonly client: Load
}

export interface Sample {
  readonly cleanStartMs: number
  readonly uncleanStartMs: number
  readonly stopMs: number
  readonly pipelined: Outcome
  readonly paced: Outcome
  readonly client: Outcome
  /** Of the broker for a request, the pipelined ones that do not count among them. */
  readonly cpuMicroseconds: number
  readonly descriptors: number
  readonly mappings: number
  readonly rssMiB: number
}

function start(dataDir: string): Promise<StartedBroker> {
  return StartedBroker.start(['--data-dir', dataDir, '--port', '0'])
}

/** Makes the topics of a layout. Returns how many milliseconds that took. */
export async function makeTopics(dataDir: string, layout: Layout): Promise<number> {
  const broker = await start(dataDir)
  const client = await Client.connect({ port: broker.port, requestTimeoutMs: 300_000 })
  const took = await timed(async () => {
    for (const topic of topicsOf(layout)) await client.createTopic(topic, layout.partitions)
  })
  await client.close()
  await broker.stop()
  return took
}

/** One turn of a layout: started behind a clean stop, loaded, killed, started again, stopped. */
export async function takeTurn(
  dataDir: string,
  layout: Layout,
  writer: PartitionWriter,
  loads: Loads,
): Promise<Sample> {
  const broker = await start(dataDir)
  if (canPin()) pin([broker.pid], BROKER_CORE)
  const { port, pid } = broker
  const cpuBefore = cpuSecondsOf(pid)
  const pipelined = await writer.write(port, layout, loads.pipelined)
  const cpuSeconds = cpuSecondsOf(pid) - cpuBefore
  const paced = await writer.write(port, layout, loads.paced)
  const client = await writeByClient(port, layout, loads.client)
  const { descriptors, mappings } = openedBy(pid)
  const rssMiB = residentMiB(pid).now
  await broker.kill()
  const again = await start(dataDir)
  const stopMs = await timed(() => again.stop())
  return {
    cleanStartMs: broker.listeningMs,
    uncleanStartMs: again.listeningMs,
    stopMs,
    pipelined,
    paced,
    client,
    cpuMicroseconds: (cpuSeconds * 1e6) / (loads.pipelined.uncounted + loads.pipelined.counted),
    descriptors,
    mappings,
    rssMiB,
  }
}
