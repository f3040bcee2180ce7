import { availableParallelism } from 'node:os'
import type { Benchmark } from './benchmark.js'
import { measureConsuming } from './client/consuming.js'
import { measureLatency } from './client/latency.js'
import { IN_FLIGHT, measureProducing } from './client/producing.js'
import { BATCH_BYTES } from './client/workload.js'
import { ServerProcess } from './support/server-process.js'
import { withTemporaryDirectory } from './support/temporary.js'

const QUICK = { rounds: 2, warmups: 1, records: { 100: 5000, 1024: 2000 } }
const WHOLE = { rounds: 11, warmups: 2, records: { 100: 100_000, 1024: 30_000 } }

export const client: Benchmark = {
  question: 'What does the client cost, against ready-made frames to the same broker?',
  run: ({ quick }) =>
    withTemporaryDirectory(async (directory) => {
      const effort = quick ? QUICK : WHOLE
      const broker = await ServerProcess.broker(directory, '--fsync', 'never')
      try {
        const producing = await measureProducing(broker.port, effort)
        const latency = await measureLatency(broker.port, effort)
        const consuming = await measureConsuming(broker.port, effort)
        return {
          settings: { batchBytes: BATCH_BYTES, framesInFlight: IN_FLIGHT, cores: availableParallelism(), ...effort },
          tables: [producing.table, latency.table, consuming.table],
          aims: [],
        }
      } finally {
        await broker.stop()
      }
    }),
}
