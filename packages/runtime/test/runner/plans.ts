import type { Plan, PlannedCodon, PlannedItem, PlannedLoop } from '../../src/plan/index.ts'

/** Plans for tests: everything has the default that a hank would give it. */
export function codonPlan(id: string, more: Partial<PlannedCodon> = {}): PlannedCodon {
  return {
    kind: 'codon',
    id,
    name: id,
    model: {
      id: 'test-model',
      provider: 'test',
      harness: 'embedded',
      identity: 'embedded:test/test-model',
      contextWindow: 100_000,
    },
    continuation: 'fresh',
    prompt: { text: `work on ${id}` },
    maxExtensions: 100,
    autoCompact: false,
    idleTimeoutMs: 120_000,
    rig: [],
    checkpointedFiles: [],
    env: {},
    outputFiles: [],
    archiveOnSuccess: [],
    onFailure: 'abort',
    retry: { maxAttempts: 3, delayMs: 1_000, maxDelayMs: 60_000 },
    ...more,
  }
}

export function loopPlan(id: string, limit: number | null, codons: readonly PlannedCodon[]): PlannedLoop {
  return { kind: 'loop', id, name: id, limit, codons, archiveOnSuccess: [] }
}

export function planOf(...items: readonly PlannedItem[]): Plan {
  return { hankName: 'test', hankDir: '/nowhere', items }
}
