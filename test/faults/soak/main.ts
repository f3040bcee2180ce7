/**
 * `npm run soak -- [--minutes N] [--seed N]`: loads a broker for so long and says whether it stays as it is. From ten
 * minutes on it writes test/reports/soak-<date>.md. Ends with 1 where something failed or rises.
 *
 * @module
 */
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cleanUp } from '../../support/clean-up.js'
import { currentCommit } from '../report.js'
import { reportOf } from './report.js'
import { soak } from './soak.js'
import { judge } from './verdict.js'

const LEAST_REPORTED = 10

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 120)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('usage: npm run soak -- [--minutes N] [--seed N]')

const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => ending.abort())

const date = new Date().toISOString().slice(0, 10)
console.log(`${minutes} minutes, --seed ${seed}`)
try {
  const result = await soak({ minutes, seed, signal: ending.signal, log: console.log })
  const verdict = judge(result)
  const machine = `Node.js ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB.`
  const report = reportOf({ date, commit: currentCommit(), minutes, seed, machine }, result, verdict)
  if (minutes >= LEAST_REPORTED && !ending.signal.aborted) {
    const file = fileURLToPath(new URL(`../../reports/soak-${date}.md`, import.meta.url))
    writeFileSync(file, report)
    console.log(`written: ${file}`)
  } else console.log(report)
  for (const failure of verdict.failures) console.error(`FAILED: ${failure}`)
  process.exitCode = verdict.failures.length > 0 || ending.signal.aborted ? 1 : 0
} finally {
  await cleanUp()
}
