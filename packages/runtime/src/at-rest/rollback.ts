import { currentRun } from '@weave/protocol'
import { readArchive } from '../effects/index.ts'
import { planArchives, withParents } from '../execution/index.ts'
import type { Result } from '../kit/index.ts'
import {
  type ArchivedFiles,
  goesOnWith,
  type RollbackTarget,
  rigKeptBy,
  rigsToClean,
  rollBackAtRest,
  undoneBy,
} from '../runner/index.ts'
import type { StoppedPlace } from './open.ts'
import { type UndoneOutputs, undoneOutputs } from './undone-outputs.ts'

/** Where a rollback, or the undo of one, leads. */
export interface WayBack {
  readonly target: RollbackTarget
  readonly label: string
  readonly archives: readonly ArchivedFiles[]
}

export type FoundWay = Result<{ readonly way: WayBack }>

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
  /** What the rigs of undone codons made: it is moved out of the workspace. */
  readonly rigCopies: readonly string[]
  /** What the rig of the codon that begins again had copied and is missing: it is copied again. */
  readonly rigPutBack: readonly string[]
  /** Runtime ids, newest first. */
  readonly undone: readonly string[]
  /** Output files of undone codons: they stay where they are. */
  readonly outputs: readonly UndoneOutputs[]
  /** The codon that the next start begins with; absent when the plan is at its end there. */
  readonly next?: { readonly codonId: string; readonly withoutRig: boolean }
}

export type PreviewResult = Result<{ readonly preview: RollbackPreview }>

/** Nothing in the workspace changes. */
export async function previewWay(place: StoppedPlace, way: WayBack): Promise<PreviewResult> {
  const { plan, effects, layout } = place
  const { sha, startedFrom } = way.target
  const state = place.state()
  const undone = undoneBy(state, startedFrom)
  const planned = await place.planRestore(sha)
  if (!planned.ok) return planned
  const archive = await readArchive(layout.archiveManifest)
  if (!archive.ok) return archive
  const archiving = await planArchives(way.archives, place)
  if (!archiving.ok) return archiving
  const places = new Set(undone.map(({ runId, record }) => `${runId} ${record.codonId}`))
  const staying = new Set(way.archives.flatMap(({ files }) => files))
  const unarchived = archive.entries.filter(
    ({ runId, codonId, from }) => places.has(`${runId} ${codonId}`) && !staying.has(from),
  )
  const rigKept = rigKeptBy(state, startedFrom)
  const records = undone.map(({ record }) => record)
  const rigCopies: string[] = []
  for (const { codonId } of rigsToClean(records, rigKept))
    rigCopies.push(...(await effects.rollback.rigLeftovers(codonId, sha)))
  const next = goesOnWith(plan, state, startedFrom)
  const { create, change, delete: removed, unchanged, conflicts } = planned.plan
  const archivedAgain = archiving.plans.flatMap(({ entries }) => entries.map(({ from }) => from))
  const leaving = new Set(archivedAgain)
  const missing = rigKept === undefined ? [] : await place.rigMissing(rigKept)
  const comesBack = withParents([...create, ...unarchived.map(({ from }) => from)])
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
      rigCopies,
      rigPutBack: missing.filter(path => !comesBack.has(path)),
      undone: records.map(({ codonId }) => codonId),
      outputs: await undoneOutputs(place, records),
      ...(next && { next: { codonId: next.at.runtimeId, withoutRig: next.withoutRig } }),
    },
  }
}

interface Taken {
  readonly preview: RollbackPreview
  /** What was found and put right first. */
  readonly notes: readonly string[]
  readonly runId: string
}

export type WayTaken = Result<Taken, { readonly message: string; readonly cure?: string }>

/** Performs it. The target is resolved again after a crash was put right: that may have changed what its name means. */
export async function takeWay(place: StoppedPlace, find: () => Promise<FoundWay>): Promise<WayTaken> {
  const possible = await find()
  if (!possible.ok) return possible
  const writing = await place.write()
  if (!writing.ok) return writing
  const found = await find()
  if (!found.ok) return found
  const previewed = await previewWay(place, found.way)
  if (!previewed.ok) return previewed
  const done = await rollBackAtRest(writing.rest, found.way)
  if (!done.ok) return done
  const { preview } = previewed
  return { ok: true, preview, notes: writing.notes, runId: currentRun(place.state())?.runId ?? '' }
}
