import type { Harness } from '../../src/harness/index.ts'
import type {
  AgentEffects,
  CheckpointEffects,
  CodonEffects,
  Effects,
  FileEffects,
  RollbackEffects,
  SentinelEffects,
} from '../../src/runner/index.ts'

/** All effects side by side, so that a test can replace some by name. */
export type FlatEffects = AgentEffects &
  CodonEffects &
  SentinelEffects &
  CheckpointEffects &
  RollbackEffects &
  FileEffects

export function grouped(flat: FlatEffects): Effects {
  return { agent: flat, codon: flat, sentinels: flat, checkpoints: flat, rollback: flat, files: flat }
}

/** Everything around the runner that does nothing and succeeds; free of the test runner, for programs of their own. */
export function bareEffects(harness: Harness): FlatEffects {
  return {
    harnessFor: () => harness,
    surroundingsOf: ({ runtimeId, codon }) => ({
      codonId: runtimeId,
      model: codon.model.id,
      provider: codon.model.provider,
      cwd: '/nowhere',
      env: {},
      marker: 'TEST=1',
      home: '/nowhere',
      autoCompact: codon.autoCompact,
    }),
    sessionLog: () => ({ write: () => undefined, close: async () => undefined }),
    costOf: () => undefined,
    promptOf: async () => ({ ok: true, prompt: 'work' }),
    runRig: async () => ({ ok: true }),
    copyOutputs: async () => ({ ok: true, files: [] }),
    archive: async () => ({ ok: true, files: [] }),
    checkpoint: async () => undefined,
    loadSentinels: async () => ({ ok: true, finish: async () => undefined }),
    beforeCodon: async () => undefined,
    afterCodon: async () => undefined,
    firstCheckpoint: () => undefined,
    restore: async () => ({ ok: true, files: [] }),
    safetyCheckpoint: async () => ({ ok: true, sha: 'safety' }),
    restoreArchives: async () => ({ ok: true, files: [] }),
    rigLeftovers: async () => [],
    archiveAgain: async () => ({ ok: true, files: [] }),
    cleanRig: async () => ({ movedTo: '/nowhere', failures: [] }),
    putBackRig: async () => [],
    syncFiles: async () => ({ ok: true }),
    rollbackIntent: { write: () => undefined, clear: () => undefined },
    checkpointTimes: async () => new Map(),
    watch: async () => undefined,
    settleFiles: async () => undefined,
    hintFiles: () => undefined,
    fileTree: async () => [],
  }
}
