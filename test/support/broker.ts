import { Broker, type BrokerOptions } from '../../src/server/broker.js'
import { behindEachTest } from './clean-up.js'
import { type MemoryLogger, memoryLogger } from './memory-logger.js'
import { dropPeers, Peer } from './peer.js'
// Its directories are removed behind the brokers that use them: hooks run in reverse order.
import './temporary.js'

/** MYKAFKA_ZERO_COPY=off runs the tests on the copy path. */
export const zeroCopy = process.env.MYKAFKA_ZERO_COPY !== 'off'

/** A broker in this process, and what it logs. */
export interface TestBroker {
  readonly broker: Broker
  readonly port: number
  readonly dataDir: string
  readonly logger: MemoryLogger
  connect(): Promise<Peer>
  stop(): Promise<void>
}

const running = new Set<Broker>()

behindEachTest(async () => {
  dropPeers()
  const brokers = [...running]
  running.clear()
  await Promise.all(brokers.map((broker) => broker.stop()))
})

/**
 * Starts a broker on a free port; without a data directory it has one that goes with it. It stops with the test.
 * All tests start their brokers here.
 */
export async function startBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const logger = memoryLogger()
  const broker = await Broker.start({
    zeroCopy,
    fsync: 'never',
    logger,
    ...(options.listeners === undefined && { port: 0 }),
    ...options,
  })
  running.add(broker)
  const { port, dataDir } = broker
  return { broker, port, dataDir, logger, connect: () => Peer.connect(port), stop: () => broker.stop() }
}
