import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { memoryDisk } from './test/support/memory-disk.ts'
import { isProof } from './test/support/proof.ts'
import { sampledProofs } from './test/support/sampled-proofs.ts'

// Tests run from source: the `weave-source` condition points every workspace import at its `src/index.ts`.
// Not `module`: Node itself loads what is not ours, and what packages keep there is for bundlers.
const conditions = ['weave-source', 'node', 'default']
const sampled = sampledProofs({
  minutes: process.env['WEAVE_TEST_MINUTES'],
  lot: process.env['WEAVE_TEST_LOT'],
  say: text => void process.stdout.write(`${text}\n`),
})
// Proofs have the disk that people have.
const folders = isProof ? undefined : memoryDisk()

export default defineConfig({
  plugins: sampled?.plugins ?? [],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Processes, so that a test which measures memory does not see that of the other worker.
    pool: 'forks',
    isolate: false,
    // Half as many again as cores: a worker waits for a third of its time, for processes, clocks and browsers. With two for each core
    // tests that are about time would be late.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() * 1.5)),
    ...(folders !== undefined && { env: { TMPDIR: folders } }),
    testTimeout: 40_000,
    // A second, the default, is not enough for a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Loaded only where there is a seed, because every file would wait for it.
    setupFiles: process.env['WEAVE_PROOF_SEED'] === undefined ? [] : ['./test/support/seed.ts'],
    ...(sampled && { sequence: { sequencer: sampled.sequencer } }),
    reporters: ['default', './test/support/contract-reporter.ts'],
  },
})
