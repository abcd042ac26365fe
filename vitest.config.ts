import { defineConfig } from 'vitest/config'

// Tests run from source: the `development` condition points every workspace import at its `src/index.ts`.
const conditions = ['weave-source', 'module', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    testTimeout: 40_000,
    reporters: ['default', './test/support/contract-reporter.ts'],
  },
})
