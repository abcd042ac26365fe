import { defineConfig } from 'vitest/config'

// Tests run from source: the `weave-source` condition points every workspace import at its `src/index.ts`.
const conditions = ['weave-source', 'module', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    testTimeout: 40_000,
    // Loaded only where there is a seed, because every file would wait for it.
    setupFiles: process.env['WEAVE_PROOF_SEED'] === undefined ? [] : ['./test/support/seed.ts'],
    reporters: ['default', './test/support/contract-reporter.ts'],
  },
})
