import type { Harness } from '../harness.js'
import { soak as loadFor } from './soak.js'
import { judge } from './verdict.js'

const MINUTES = 0.4

/** A soak as one of the harnesses of CI: that it works, and that nothing fails in it. Trends take `npm run soak`. */
export const soak: Harness = {
  about: 'mixed load with restarts, for half a minute: that nothing fails (trends: npm run soak)',
  rounds: { ci: 1, full: 0 },
  run: async ({ seed, rounds, log, signal }) => {
    const failures: string[] = []
    for (let each = seed; each < seed + rounds && !signal.aborted; each++) {
      const result = await loadFor({ minutes: MINUTES, seed: each, signal, log: () => {} })
      const last = result.samples.at(-1)
      log(
        `seed ${each}: ${result.samples.length} samples, at last ${last?.descriptors} descriptors, ${last?.mappings} mappings`,
      )
      failures.push(...judge(result).failures.map((failure) => `seed ${each}: ${failure}`))
    }
    return { rows: [], failures }
  },
}
