import { parseArgs } from 'node:util'
import { compareBursts } from './burst.js'
import { round } from './round.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    requests: { type: 'string', default: '1000' },
    'per-second': { type: 'string', default: '1000' },
    /** `show`: the times of the burst decide nothing, as on a machine that has other things to do. */
    times: { type: 'string', default: 'judge' },
  },
})
/** An answer that does not wait for the database takes less than this part of the time of one that does. */
const FAR_BELOW = 1 / 5
/** What else the machine does can spoil a measurement, but not each time. */
const TRIES = 3

for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1))

const begin = performance.now()
let held = 0
let broken = 0

/** @param {[claim: string, contradictions: string[]][]} claims */
function report(claims, summary) {
  const wrong = claims.filter(([, contradictions]) => contradictions.length > 0)
  held += claims.length - wrong.length
  broken += wrong.length
  console.log(`${wrong.length === 0 ? 'holds ' : 'BROKEN'}  ${summary}`)
  for (const [claim, contradictions] of wrong) {
    console.log(`        ${claim}`)
    for (const contradiction of contradictions.slice(0, 5)) console.log(`          ${contradiction}`)
  }
}

async function measure(requests, perSecond) {
  const { api, insert, stored, direct } = await compareBursts({ requests, perSecond })
  const line = (what, { p50, p99 }) => {
    console.log(`${what.padEnd(55)}${p50.toFixed(1).padStart(8)} ms ${p99.toFixed(1).padStart(8)} ms`)
  }
  const head = `a burst of ${requests} reservations, ${perSecond} a second`
  console.log(`${head.padEnd(62)}p50         p99`)
  line('the API answers: the broker has it on its disk', api)
  line('a reservation is in the database, behind the request', stored)
  line('of that the insert, a transaction of its own, fsynced', insert)
  line('an API that inserts before it answers, answers', direct)
  return api.p99 / direct.p99
}

const requests = Number(values.requests)
const tries = values.times === 'judge' ? TRIES : 1
let part = 1
for (let number = 0; requests > 0 && number < tries && part > FAR_BELOW; number++) {
  part = await measure(requests, Number(values['per-second']))
}
if (requests > 0) {
  const summary = `the API's p99 is ${(part * 100).toFixed(1)} % of that with the insert in the request`
  const contradictions = part > FAR_BELOW ? ['it is not'] : []
  if (values.times === 'judge') report([["the API's p99 is far below that of the database", contradictions]], summary)
  else console.log(summary)
}

for (let number = 0; number < Number(values.rounds); number++) {
  const seed = Number(values.seed) + number
  const name = `round ${number + 1} (--seed ${seed})`
  try {
    const { claims, summary } = await round(seed)
    report(claims, `${name}: ${summary}`)
  } catch (error) {
    report([['it comes to an end', [error.stack]]], name)
  }
}
console.log(`${held} claims hold, ${broken} are broken, ${((performance.now() - begin) / 1000).toFixed(1)} s`)
process.exit(broken === 0 ? 0 : 1)
