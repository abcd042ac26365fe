import { statfs } from 'node:fs/promises'
import { type CodonExecution, currentRun, type WeaveState } from '@weave/protocol'
import type { CheckpointStore, RestorePlanResult } from '../checkpoint/index.ts'
import {
  type ArchivePlan,
  performArchive,
  planArchive,
  readArchive,
  restoreArchived,
} from '../effects/index.ts'
import { type Clock, type Result, wordsOf } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { ArchivedFiles, CodonPlace, EffectResult, RollbackEffects } from '../runner/index.ts'
import type { Selection } from '../tree/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { type Activities, during } from './activity.ts'
import { openRollbackRecord } from './intents.ts'
import { cleanRig, leftoversOf, missingOf, putBackRig } from './rig-effects.ts'
import type { CheckpointSelections } from './selections.ts'

export interface CheckpointEffectsOptions {
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly state: () => WeaveState
  readonly warn: (message: string) => void
  /** Called before everything that is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  /** Hears of what takes long. */
  readonly activities: Activities
}

/** What versions and rollbacks of one execution work with. */
export interface VersionPlace extends CheckpointEffectsOptions {
  readonly store: CheckpointStore
  readonly selections: CheckpointSelections
  readonly syncFiles: () => Promise<void>
}

/** What only a start and a command at rest need. */
export interface Recovering {
  /** What a restore would do. Nothing in the workspace changes. */
  planRestore(sha: string): Promise<RestorePlanResult>
  /** Whether the selected files on the disk are not those of a version. */
  differsFrom(sha: string): Promise<boolean>
  /** What the rig of a codon had copied and is not there now. */
  rigMissing(codonId: string): Promise<readonly string[]>
}

const puttingBack = { phase: 'restore', text: 'putting files back' } as const

export function createRollbackEffects(place: VersionPlace): RollbackEffects {
  const { store, selections, state, assertHeld } = place
  return {
    restore: sha => during(place.activities, puttingBack, () => restore(sha, place)),
    safetyCheckpoint: async () => {
      const run = currentRun(state())
      const last = run?.codons.at(-1)
      const made = await store.safety({
        ...withoutCodon(selections.ofAll()),
        // An undo finds its way by this.
        ...(run && { runId: run.runId }),
        ...(last && named(last)),
      })
      return made.ok ? { ok: true, sha: made.sha } : made
    },
    restoreArchives: async codons => {
      assertHeld()
      return restoreArchives(codons, place)
    },
    archiveAgain: async (archives, undone) => {
      assertHeld()
      return archiveAgain(archives, undone, place)
    },
    rigLeftovers: (codonId, sha) => leftoversOf(codonId, sha, place),
    cleanRig: async (codonId, paths) => {
      assertHeld()
      return cleanRig(codonId, paths, place)
    },
    putBackRig: async codonId => {
      assertHeld()
      return putBackRig(codonId, place)
    },
    async syncFiles() {
      try {
        await place.syncFiles()
        return { ok: true }
      } catch (error) {
        return { ok: false, message: `The files are not safe on the disk: ${wordsOf(error)}` }
      }
    },
    rollbackIntent: openRollbackRecord(place.layout, assertHeld),
  }
}

export function createRecovering(place: VersionPlace): Recovering {
  return {
    planRestore: sha => planTo(sha, place),
    rigMissing: codonId => missingOf(codonId, place),
    differsFrom: async sha => {
      const planned = await planTo(sha, place)
      return !planned.ok || planned.plan.writes.length > 0 || planned.plan.removals.length > 0
    },
  }
}

/** Of a version that belongs to no codon. */
export function withoutCodon(selection: Selection) {
  return { runId: '', codonId: '', codonName: '', status: 'preparing', selection } as const
}

function named({ codonId, codonName, status }: CodonExecution) {
  return { codonId, codonName, status }
}

async function planTo(
  sha: string,
  { store, selections }: Pick<VersionPlace, 'store' | 'selections'>,
): Promise<RestorePlanResult> {
  return store.planRestore(await selections.requestFor(sha, store))
}

async function restore(sha: string, { store, selections, warn }: VersionPlace): Promise<EffectResult> {
  const planned = await planTo(sha, { store, selections })
  if (!planned.ok) return planned
  const { plan } = planned
  const done = await store.performRestore(plan)
  for (const { from, to } of done.movedAside) warn(`${from} was in the way of a checkpoint; it is now ${to}.`)
  if (!done.ok) return { ok: false, message: done.message }
  return { ok: true, files: [...plan.create, ...plan.change, ...plan.delete] }
}

export interface ArchivePlace {
  readonly layout: ExecutionLayout
  readonly clock: Clock
  readonly warn: (message: string) => void
}

/** Puts back what the ends of these codons had archived. Never rejects. */
async function restoreArchives(
  codons: readonly CodonPlace[],
  { layout, warn }: Pick<ArchivePlace, 'layout' | 'warn'>,
): Promise<EffectResult> {
  const archive = await readArchive(layout.archiveManifest)
  if (!archive.ok) return archive
  const undone = new Set(codons.map(keyOf))
  const done = await restoreArchived(
    layout,
    archive.entries.filter(entry => undone.has(keyOf(entry))),
  )
  if (!done.ok) return done
  for (const { message } of [...done.kept, ...done.differing]) warn(message)
  return { ok: true, files: done.restored }
}

/**
 * Archives what a rollback had put back and its undo wants back in the archive. What the undone codons archived comes out
 * first, so that a file of theirs gets its old owner again; so does what an earlier attempt at this, cut off, was moving,
 * so that everything gets its old name. Doing it again finishes it. Never rejects.
 */
async function archiveAgain(
  archives: readonly ArchivedFiles[],
  undone: readonly CodonPlace[],
  place: ArchivePlace,
): Promise<EffectResult> {
  const { layout } = place
  const back = await restoreArchives(undone, place)
  if (!back.ok) return back
  const cutOff = await takeBackMoving(archives, layout)
  if (!cutOff.ok) return cutOff
  const planned = await planArchives(archives, place)
  if (!planned.ok) return planned
  const files: string[] = []
  for (const plan of planned.plans) {
    const moved = await performArchive(layout, plan)
    if (!moved.ok) return moved
    files.push(...moved.moved.map(({ from }) => from))
  }
  return { ok: true, files }
}

type PlannedArchives = Result<{ readonly plans: readonly ArchivePlan[] }>

/** Changes nothing. Never rejects. */
export async function planArchives(
  archives: readonly ArchivedFiles[],
  { layout, clock }: Pick<ArchivePlace, 'layout' | 'clock'>,
): Promise<PlannedArchives> {
  const plans: ArchivePlan[] = []
  for (const { files, ...origin } of archives) {
    const planned = await planArchive(layout, { ...origin, patterns: files.map(exactly), clock })
    if (!planned.ok)
      return { ok: false, message: 'message' in planned ? planned.message : 'Archiving was stopped.' }
    plans.push(planned.plan)
  }
  return { ok: true, plans }
}

async function takeBackMoving(archives: readonly ArchivedFiles[], layout: ExecutionLayout) {
  const archive = await readArchive(layout.archiveManifest)
  if (!archive.ok) return archive
  const owners = new Set(archives.map(keyOf))
  return restoreArchived(
    layout,
    archive.entries.filter(entry => entry.state !== 'archived' && owners.has(keyOf(entry))),
  )
}

function keyOf({ runId, codonId }: CodonPlace): string {
  return `${runId} ${codonId}`
}

/** The pattern that selects one path. */
function exactly(path: string): string {
  return `/${path.replaceAll(/[\\*?[\] ]/g, '\\$&')}`
}

/** Not every program says why it cannot write. */
export async function isFull(directory: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize < leastSpace
  } catch {
    return false
  }
}

const leastSpace = 1024 * 1024

export function freeSpace({ dir }: ExecutionLayout): string {
  return `There is no space left on the disk of ${dir}: free some, then start again.`
}
