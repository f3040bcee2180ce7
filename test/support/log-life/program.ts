/** Does operations to a log as a process of its own, which is killed: see kill.ts. */
import { openSync, readFileSync, writeSync } from 'node:fs'
import type { KilledLife } from './kill.js'
import { Life } from './life.js'
import { Producers } from './producers.js'

const { options, producers, operations, state, progress } = JSON.parse(
  readFileSync(process.argv[2] as string, 'utf8'),
) as KilledLife

// What is written is in the page cache when the call returns: it outlives the process.
const file = openSync(progress, 'a')
const tell = (line: object): void => void writeSync(file, `${JSON.stringify(line)}\n`)

process.send?.('started')
const life = await Life.open({ ...options, producers: new Producers(producers) }, state)
tell({ kind: 'opened' })
for (const operation of operations) {
  tell({ kind: 'begun' })
  await life.run(operation, tell)
}
tell({ kind: 'ended' })
// On a fast machine they are all done before the kill.
setInterval(() => {}, 60_000)
