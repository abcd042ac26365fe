import type { RollbackIntent } from '../../src/runner/index.ts'
import type { FlatEffects } from './bare-effects.ts'

/** A workspace that is one text, and versions of it, for tests of the runner. What was done is listed in order. */
export function createVersions() {
  const kept = new Map<string, string>()
  const deeds: string[] = []
  /** What the rig of a codon made. */
  const rigs = new Map<string, readonly string[]>()
  let workspace = 'empty'
  let shas = 0
  let intent: RollbackIntent | undefined
  let failure: ((sha: string) => string | undefined) | undefined
  let gate: Promise<void> | undefined

  const keep = (label: string): string => {
    const sha = (0xa1b2c300 + shas++).toString(16)
    kept.set(sha, workspace)
    deeds.push(`${label} ${sha}`)
    return sha
  }
  const first = keep('first')

  const effects: Partial<FlatEffects> = {
    checkpoint: async (type, { runtimeId }) => keep(`${type} ${runtimeId}`),
    firstCheckpoint: () => first,
    async restore(sha) {
      await gate
      const message = failure?.(sha)
      if (message !== undefined) return { ok: false, message }
      workspace = kept.get(sha) ?? 'unknown'
      deeds.push(`restore ${sha}`)
      return { ok: true, files: ['file'] }
    },
    safetyCheckpoint: async () => ({ ok: true, sha: keep('safety') }),
    restoreArchives: async codons => {
      deeds.push(`archives ${codons.map(({ codonId }) => codonId).join(' ')}`)
      return { ok: true, files: [] }
    },
    rigLeftovers: async codonId => rigs.get(codonId) ?? [],
    cleanRig: async (_codonId, paths) => {
      deeds.push(`clean ${paths.join(' ')}`)
      const stuck = paths.filter(path => path.startsWith('stuck'))
      return { movedTo: '/removed', failures: stuck.map(directory => ({ directory, error: 'busy' })) }
    },
    putBackRig: async codonId => {
      deeds.push(`rig ${codonId}`)
      return []
    },
    syncFiles: async () => {
      deeds.push('sync')
      return { ok: true }
    },
    rollbackIntent: {
      write(written) {
        intent = written
        deeds.push('intent')
      },
      clear() {
        intent = undefined
        deeds.push('intent done')
      },
    },
    checkpointTimes: async all => new Map(all.map(sha => [sha, '2026-01-02T03:04:05.000Z'])),
  }

  return {
    effects,
    deeds,
    rigs,
    first,
    workspace: () => workspace,
    write(text: string): void {
      workspace = text
    },
    intent: () => intent,
    failWhen(fails: (sha: string) => string | undefined): void {
      failure = fails
    },
    /** Restoring waits for this. */
    holdRestoreUntil(promise: Promise<void>): void {
      gate = promise
    },
  }
}
