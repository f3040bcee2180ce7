/** Logs more than a pipe takes, then closes the log, and says so on standard error. */
import { writeSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { openPinoSink } from '../../src/cli/serve/pino-sink.js'

const LINES = 2000

const sink = await openPinoSink('info', process.argv[2] === 'pretty')
for (let i = 0; i < LINES; i++) {
  sink.log({ level: 'info', time: i, fields: { i }, message: 'x'.repeat(500) })
  if (i % 100 === 0) await turn()
}
writeSync(2, 'logged\n')
await sink.close()
writeSync(2, 'closed\n')
