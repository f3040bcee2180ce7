import { defineConfig } from 'vitest/config'

// Apart from the suites of vitest.config.ts: it takes minutes, and needs git, npm's registry and the compiler tools.
export default defineConfig({
  test: {
    include: ['test/packaging/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Each installation builds on what the one before left.
    sequence: { concurrent: false, shuffle: false },
    bail: 1,
  },
})
