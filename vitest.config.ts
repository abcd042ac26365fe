import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Tests run from source: the `weave-source` condition points every workspace import at its `src/index.ts`.
// Not `module`: Node itself loads what is not ours, and what packages keep there is for bundlers.
const conditions = ['weave-source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Processes, so that a test which measures memory does not see that of the other worker.
    pool: 'forks',
    isolate: false,
    // As many as cores: the default, one less, leaves one of two idle, and one more makes tests late that are about time.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 40_000,
    // A second, the default, is not enough for a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Loaded only where there is a seed, because every file would wait for it.
    setupFiles: process.env['WEAVE_PROOF_SEED'] === undefined ? [] : ['./test/support/seed.ts'],
    reporters: ['default', './test/support/contract-reporter.ts'],
  },
})
