// The engine in a worker thread, from dist/, busy until it is terminated: see test/hazards/worker.test.ts.
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Broker, Log } from 'mykafka'

const { kind, directory, zeroCopy } = workerData

if (kind === 'broker') {
  const broker = await Broker.start({ dataDir: directory, port: 0, zeroCopy })
  parentPort.postMessage(broker.port)
} else {
  const log = await Log.open(directory, { segmentBytes: 1 << 20 })
  const forever = async (work) => {
    for (;;) {
      await work()
      await turn()
    }
  }
  const append = (bytes, acks) => forever(() => log.append({ value: Buffer.alloc(bytes, 'x') }, { acks }))
  const read = async () => {
    for await (const { offset } of log.iterate({ follow: false })) if (offset === log.logEndOffset) return
  }
  await log.append({ value: 'first' })
  parentPort.postMessage(0)
  // Small writes go out on this thread; large ones, syncs and checks on others.
  await Promise.all([
    append(100, 1),
    append(400_000, 1),
    append(50, 'all'),
    forever(read),
    forever(() => log.verify()),
    forever(() => log.flush()),
  ])
}
