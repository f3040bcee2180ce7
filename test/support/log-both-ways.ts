/** Writes the same lines without pino and with it. A process of its own: both write to standard output. */
import type { LogLine } from '../../src/cli/serve/broker-log.js'
import { openPinoSink } from '../../src/cli/serve/pino-sink.js'
import { writePlainLines } from '../../src/cli/serve/plain-lines.js'

const lines: LogLine[] = [
  { level: 'debug', time: 1700000000000, fields: {}, message: 'below the level' },
  { level: 'info', time: 1700000000001, fields: { commits: 5, keys: 2 }, message: 'loaded 5 commits (2 unique keys)' },
  {
    level: 'warn',
    time: 1700000000002,
    fields: { directory: 'a "b"\\\n\u0001é😀', clean: false },
    message: 'é "😀"\t',
  },
  { level: 'error', time: 1700000000003, fields: { none: null, missing: undefined, share: 0.5 }, message: '' },
]

writePlainLines('info', lines, 'ready')
const sink = await openPinoSink('info', false)
for (const line of lines) sink.log(line)
await sink.close()
