import { currentRun } from '@weave/protocol'
import { goesOnWith, type RollbackTarget, rigTargets, rollBackAtRest, undoneBy } from './runner/index.ts'
import type { StoppedPlace } from './stopped-execution-place.ts'
import type { ArchivedFiles } from './stopped-execution-undo.ts'
import { type ArchivePlan, performArchive, planArchive, readArchive } from './workspace/index.ts'

/** Where a rollback, or the undo of one, leads. */
export interface WayBack {
  readonly target: RollbackTarget
  readonly label: string
  readonly archives: readonly ArchivedFiles[]
}

export type FoundWay =
  | { readonly ok: true; readonly way: WayBack }
  | { readonly ok: false; readonly message: string }

/** What a rollback does to the execution as it is now. Paths are relative to the workspace. */
export interface RollbackPreview {
  readonly label: string
  readonly sha: string
  readonly create: readonly string[]
  readonly change: readonly string[]
  readonly delete: readonly string[]
  /** Files of the checkpoint that are as they should be. */
  readonly unchanged: number
  /** Never checkpointed and in the way: they are moved aside. */
  readonly movedAside: readonly string[]
  /** Archived files that are put back. */
  readonly unarchived: readonly string[]
  /** Files that go to the archive again. */
  readonly archivedAgain: readonly string[]
  /** What rigs of undone codons had copied: it is moved out of the workspace. */
  readonly rigCopies: readonly string[]
  /** Runtime ids, newest first. */
  readonly undone: readonly string[]
  /** The codon that the next start begins with; absent when the plan is at its end there. */
  readonly next?: { readonly codonId: string; readonly withoutRig: boolean }
}

export type PreviewResult =
  | { readonly ok: true; readonly preview: RollbackPreview }
  | { readonly ok: false; readonly message: string }

/** Nothing in the workspace changes. */
export async function previewWay(place: StoppedPlace, way: WayBack): Promise<PreviewResult> {
  const { plan, ports, layout } = place
  const { sha, startedFrom } = way.target
  const state = place.state()
  const undone = undoneBy(state, startedFrom)
  const planned = await place.planRestore(sha)
  if (!planned.ok) return planned
  const archive = await readArchive(layout.archiveManifest)
  if (!archive.ok) return archive
  const archiving = await planArchives(place, way)
  if (!archiving.ok) return archiving
  const places = new Set(undone.map(({ runId, record }) => `${runId} ${record.codonId}`))
  const staying = new Set(way.archives.flatMap(({ files }) => files))
  const unarchived = archive.entries.filter(
    ({ runId, codonId, from }) => places.has(`${runId} ${codonId}`) && !staying.has(from),
  )
  const targets = undone.flatMap(({ record }) => rigTargets(plan, record.codonId))
  const next = goesOnWith(plan, state, startedFrom)
  const { create, change, delete: removed, unchanged, conflicts } = planned.plan
  const archivedAgain = archiving.plans.flatMap(({ entries }) => entries.map(({ from }) => from))
  const leaving = new Set(archivedAgain)
  return {
    ok: true,
    preview: {
      label: way.label,
      sha,
      create,
      change,
      delete: removed.filter(path => !leaving.has(path)),
      unchanged,
      movedAside: conflicts,
      unarchived: unarchived.map(({ from }) => from),
      archivedAgain,
      rigCopies: targets.length === 0 ? [] : await ports.rigLeftovers(targets, sha),
      undone: undone.map(({ record }) => record.codonId),
      ...(next && { next: { codonId: next.step.runtimeId, withoutRig: next.withoutRig } }),
    },
  }
}

export type WayTaken =
  | {
      readonly ok: true
      readonly preview: RollbackPreview
      /** What was found and put right first. */
      readonly notes: readonly string[]
      readonly runId: string
    }
  | { readonly ok: false; readonly message: string; readonly cure?: string }

/** Does it. The way is looked for again when a crash has been put right: that may have changed what words mean. */
export async function takeWay(place: StoppedPlace, find: () => Promise<FoundWay>): Promise<WayTaken> {
  const possible = await find()
  if (!possible.ok) return possible
  const writing = await place.write()
  if (!writing.ok) return writing
  const found = await find()
  if (!found.ok) return found
  const previewed = await previewWay(place, found.way)
  if (!previewed.ok) return previewed
  const archived = await archiveAgain(place, found.way)
  if (!archived.ok) return archived
  const done = await rollBackAtRest(writing.rest, found.way.target)
  if (!done.ok) return done
  const { preview } = previewed
  return { ok: true, preview, notes: writing.notes, runId: currentRun(place.state())?.runId ?? '' }
}

type PlannedArchives =
  | { readonly ok: true; readonly plans: readonly ArchivePlan[] }
  | { readonly ok: false; readonly message: string }

async function planArchives(
  { layout, clock }: StoppedPlace,
  { archives }: WayBack,
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

/**
 * Before the files go back: what is in the archive is safe from that. What the undone codons archived comes out first, so
 * that a file of theirs gets its old owner again.
 */
async function archiveAgain(place: StoppedPlace, way: WayBack) {
  if (way.archives.length === 0) return { ok: true } as const
  const undone = undoneBy(place.state(), way.target.startedFrom)
  const back = await place.ports.restoreArchives(undone.map(({ runId, record }) => ({ runId, ...record })))
  if (!back.ok) return back
  const planned = await planArchives(place, way)
  if (!planned.ok) return planned
  for (const plan of planned.plans) {
    const moved = await performArchive(place.layout, plan)
    if (!moved.ok) return moved
  }
  return { ok: true } as const
}

/** The pattern that selects one path. */
function exactly(path: string): string {
  return `/${path.replaceAll(/[\\*?[\] ]/g, '\\$&')}`
}
