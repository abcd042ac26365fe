import { setImmediate } from 'node:timers/promises'
import {
  ancestorsOf,
  createDirectoryChain,
  createFileReader,
  type DirectoryChain,
  type FileReader,
  type FileState,
  isSafeName,
} from '../files/index.ts'
import type { Result } from '../kit/index.ts'
import { type Git, type GitMode, gitName, type Selection } from '../tree/index.ts'
import { compareTrees, type TreeDifference, type TreeDifferences } from './diff.ts'
import { inspectPlace } from './inspect-place.ts'
import type { CheckpointNote } from './note.ts'
import type { StoredWorkspace } from './store-workspace.ts'
import type { Overlay } from './tree-objects.ts'

/** What has to be done so that the selected files are those of a checkpoint. Everything it does away with is stored. */
export interface RestorePlan {
  readonly to: string
  readonly create: readonly string[]
  readonly change: readonly string[]
  readonly delete: readonly string[]
  /** Files of the checkpoint that need nothing. */
  readonly unchanged: number
  /** Files and directories that were never checkpointed and are in the way: they are moved aside. */
  readonly conflicts: readonly string[]
  readonly notes: readonly CheckpointNote[]
  readonly writes: readonly PlannedWrite[]
  readonly removals: readonly PlannedRemoval[]
  /** Removed if nothing is left in them. */
  readonly emptied: readonly string[]
}

export interface PlannedWrite {
  readonly path: string
  readonly mode: GitMode
  readonly oid: string
  /** What stands there now, and goes. */
  readonly before: FileState | undefined
}

export interface PlannedRemoval {
  readonly path: string
  readonly before: FileState
}

export interface RestoreRequest {
  readonly to: string
  readonly selection: Selection
  /** Where files come from that are selected and that `to` does not speak of. Of two that have a file the first is taken. */
  readonly overlays?: readonly Overlay[]
  /** To undo a restore that was begun: the checkpoint to which it went. */
  readonly since?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export type RestorePlanResult = Result<{ readonly plan: RestorePlan }>

export interface PlanContext {
  readonly git: Git
  readonly workTree: string
  /** What is on the disk now. */
  readonly stored: StoredWorkspace
  /** The files as they shall be: of the checkpoint, or with others added to it. */
  readonly tree: string
  /** How that differs from what is on the disk, if someone has asked already. */
  readonly compared?: TreeDifferences | undefined
  /** A checkpoint whose restore was begun: its files are ours too, where they are on the disk as it has them. */
  readonly since?: string | undefined
  /** Directories that an earlier restore may have left empty. */
  readonly leftBehind: readonly string[]
}

/** Looks at what is in the way; changes nothing. Rejects with the system's error. */
export async function planRestore(to: string, context: PlanContext): Promise<RestorePlanResult> {
  const { git, workTree, stored, tree, since, leftBehind } = context
  const compared = context.compared ?? (await compareTrees(git, { from: stored.tree, to: tree }))
  if (!compared.ok) return compared
  const undone = since === undefined ? noDifferences : await compareTrees(git, { from: since, to: tree })
  if (!undone.ok) return undone
  const unsafe = [...compared.differences, ...undone.differences].find(({ path }) => !isSafePath(path))
  if (unsafe)
    return { ok: false, message: `the checkpoint names a path that cannot be restored: ${unsafe.path}` }

  const known = sortKnown(compared.differences, stored)
  const directories = createDirectoryChain(workTree)
  try {
    const removed = new Set(known.removals.map(({ path }) => path))
    const around = { directories, removed, read: createFileReader() }
    const strange = await sortStrangers(known.added, around)
    const undoing = await findUndone(undone.differences, { ...around, stored })
    const removals = [...known.removals, ...undoing]
    const writes = [...known.changes, ...strange.creations]
    const needed = new Set(ancestorsOf(pathsOf(writes)))
    const emptied = new Set([...ancestorsOf(pathsOf(removals)), ...strange.emptied, ...leftBehind])
    const plan: RestorePlan = {
      to,
      create: pathsOf(strange.creations),
      change: pathsOf(known.changes),
      delete: pathsOf(removals),
      unchanged: stored.files - known.removals.length - known.changes.length + strange.alike,
      conflicts: [...strange.conflicts].sort(),
      notes: stored.notes,
      writes,
      removals,
      emptied: [...emptied].filter(path => isSafePath(path) && !needed.has(path)).sort(),
    }
    return { ok: true, plan }
  } finally {
    directories.close()
  }
}

/** A path that git or a plan names, and that must not lead out of the work tree. */
export function isSafePath(path: string): boolean {
  return path.split('/').every(name => isSafeName(name) && name !== gitName)
}

const noDifferences = { ok: true, differences: [] } as const

function pathsOf(items: readonly { readonly path: string }[]): readonly string[] {
  return items.map(({ path }) => path)
}

interface Known {
  readonly removals: PlannedRemoval[]
  readonly changes: PlannedWrite[]
  /** In the checkpoint, and not among the selected files on the disk. */
  readonly added: TreeDifference[]
}

function sortKnown(differences: readonly TreeDifference[], stored: StoredWorkspace): Known {
  const known: Known = { removals: [], changes: [], added: [] }
  for (const difference of differences) {
    const { path, after } = difference
    const before = stored.keyOf(path)
    if (!before) known.added.push(difference)
    else if (after) known.changes.push({ path, ...after, before })
    else known.removals.push({ path, before })
  }
  return known
}

interface Surroundings {
  readonly read: FileReader
  readonly directories: DirectoryChain
  readonly removed: ReadonlySet<string>
}

interface Strangers {
  readonly creations: PlannedWrite[]
  readonly conflicts: Set<string>
  readonly emptied: string[]
  alike: number
}

async function sortStrangers(added: readonly TreeDifference[], around: Surroundings): Promise<Strangers> {
  const strangers: Strangers = { creations: [], conflicts: new Set(), emptied: [], alike: 0 }
  for (const [turn, { path, after }] of added.entries()) {
    if (turn % placesPerTurn === 0) await setImmediate()
    if (!after) continue
    const place = await inspectPlace({ path, wanted: after, ...around })
    if (place.kind === 'alike') {
      strangers.alike++
      continue
    }
    if (place.kind === 'taken') strangers.conflicts.add(place.path)
    else strangers.emptied.push(...place.directories)
    strangers.creations.push({ path, ...after, before: undefined })
  }
  return strangers
}

const placesPerTurn = 128

/** Files that only an unfinished restore put there: not selected, and exactly as that checkpoint has them. */
async function findUndone(
  differences: readonly TreeDifference[],
  { stored, ...around }: Surroundings & { readonly stored: StoredWorkspace },
): Promise<readonly PlannedRemoval[]> {
  const removals: PlannedRemoval[] = []
  for (const [turn, { path, before, after }] of differences.entries()) {
    if (turn % placesPerTurn === 0) await setImmediate()
    if (after || !before || stored.keyOf(path)) continue
    const place = await inspectPlace({ path, wanted: before, ...around })
    if (place.kind === 'alike') removals.push({ path, before: place.stats })
  }
  return removals
}
