import type { Ports, RollbackIntent } from '../../src/runner/index.ts'

/** A workspace that is one text, and versions of it, for tests of the runner. What was done is listed in order. */
export function createVersions() {
  const kept = new Map<string, string>()
  const deeds: string[] = []
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

  const ports: Partial<Ports> = {
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
    rigLeftovers: async targets => targets,
    cleanRig: async directories => {
      deeds.push(`clean ${directories.join(' ')}`)
      return directories
        .filter(directory => directory.startsWith('stuck'))
        .map(directory => ({ directory, error: 'busy' }))
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
    ports,
    deeds,
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
