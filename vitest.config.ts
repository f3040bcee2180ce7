import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Files named *.full.test.ts take long: they run where MYKAFKA_TEST_FULL is set.
const slow = process.env.MYKAFKA_TEST_FULL ? [] : ['test/**/*.full.test.ts']

interface Manner {
  /** A process a file: what a test does to the addon, to signals or to descriptors stays in it. */
  readonly isolate?: boolean
  /** It starts programs that are compiled first. */
  readonly programs?: boolean
}

const project = (name: string, testTimeout: number, { isolate = false, programs = true }: Manner = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: slow,
    pool: 'forks' as const,
    // To start a process and to load src/ again for each file would be a quarter of all that the tests do.
    isolate,
    setupFiles: ['test/support/setup.ts'],
    globalSetup: programs ? ['test/support/programs.ts'] : [],
    testTimeout,
    hookTimeout: testTimeout,
    // What is polled for comes: how soon depends on what else the machine does.
    expect: { poll: { timeout: testTimeout / 2 } },
  },
})

export default defineConfig({
  test: {
    // Many files wait for processes and disks: three run side by side on two cores as well.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      project('unit', 10_000, { programs: false }),
      project('property', 60_000, { programs: false }),
      project('integration', 60_000),
      project('crash', 60_000, { isolate: true }),
      project('exhaustion', 60_000),
      project('hazards', 60_000, { isolate: true }),
      project('hostile', 60_000),
    ],
  },
})
