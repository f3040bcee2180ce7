import { defineConfig } from 'vitest/config'

// Apart from the suites of vitest.config.ts: it takes minutes, and installs the clients from their registries.
export default defineConfig({
  test: {
    include: ['test/interop/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/interop/support/install.ts'],
    reporters: ['default', './test/interop/support/results-reporter.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The clients' heartbeats must not starve each other on a small machine.
    fileParallelism: false,
    pool: 'forks',
  },
})
