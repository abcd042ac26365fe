import { join } from 'node:path'
import { contentDigest, ensureDirDurably } from '../files/index.ts'
import { type Result, wordsOf } from '../kit/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { type ArchiveEntry, type ArchivePlan, readArchive, writeArchive } from './archive-plan.ts'
import { type Content, type Fate, transfer } from './archive-transfer.ts'

/** One that failed: do it again to finish, or undo it with `restoreArchived` of the plan's entries. */
export type ArchiveOutcome = Result<{
  readonly moved: readonly ArchiveEntry[]
  /** Paths in the workspace that were gone before they could move. */
  readonly vanished: readonly string[]
}>

/** One that failed: do it again to finish. */
export type RestoreOutcome = Result<{
  /** Paths in the workspace. */
  readonly restored: readonly string[]
  /** Still in the archive, because something else is in the place or in the way to it. */
  readonly kept: readonly { readonly from: string; readonly to: string; readonly message: string }[]
  /** Restored all the same, with other bytes than were archived. */
  readonly differing: readonly { readonly from: string; readonly message: string }[]
  /** Paths whose file is neither in the archive nor in its place; dropped from the manifest. */
  readonly missing: readonly string[]
}>

/**
 * Moves what was planned into `rigArchive/`. The manifest holds every entry before the first file moves, so that after a
 * kill it names both places of each file, which is in at least one of them, whole. Idempotent: doing it again finishes
 * it. Never rejects.
 */
export async function performArchive(
  layout: ExecutionLayout,
  { entries }: ArchivePlan,
): Promise<ArchiveOutcome> {
  if (entries.length === 0) return { ok: true, moved: [], vanished: [] }
  try {
    await ensureDirDurably(layout.rigArchive)
    await rewrite(layout, entries, inState(entries, 'moving'))
    const passages = entries.map(({ from, to }) => ({ source: from, target: to }))
    const fates = await transfer(layout.agentRoot, layout.rigArchive, passages)
    const { moved, vanished, problems } = await sorted(layout, entries, fates)
    await rewrite(layout, entries, inState(moved, 'archived'))
    if (problems.length > 0) return { ok: false, message: `archive: ${problems.join('; ')}` }
    return { ok: true, moved: inState(moved, 'archived'), vanished }
  } catch (error) {
    return { ok: false, message: `archive: ${wordsOf(error)}` }
  }
}

/**
 * Moves archived files back to where they were, the oldest first, so that of several that had one path the one from before
 * all undone codons wins. A file that is in the place already, the same bytes, counts as restored; another one is never
 * touched: the archived one is kept and named. Entries that the manifest does not hold are restored already.
 * Idempotent; never rejects.
 */
export async function restoreArchived(
  layout: ExecutionLayout,
  wanted: readonly ArchiveEntry[],
): Promise<RestoreOutcome> {
  try {
    const known = await mustRead(layout)
    const tos = new Set(wanted.map(entry => entry.to))
    const entries = known.filter(entry => tos.has(entry.to))
    if (entries.length === 0) return { ok: true, restored: [], kept: [], differing: [], missing: [] }
    await rewrite(layout, entries, inState(entries, 'restoring'))
    const passages = entries.map(({ from, to, sha256 }) => ({ source: to, target: from, sha256 }))
    const fates = await transfer(layout.rigArchive, layout.agentRoot, passages)
    const outcome = restoredOf(entries, fates)
    const keptPlaces = new Set(outcome.kept.map(kept => kept.to))
    const kept = entries.filter(entry => keptPlaces.has(entry.to))
    await rewrite(layout, entries, inState(kept, 'archived'))
    return outcome
  } catch (error) {
    return { ok: false, message: `restoring the archive: ${wordsOf(error)}` }
  }
}

/**
 * Leaves `replaced` out of the manifest, except what `entries` has again. Its order, that of archiving, is kept: the wall
 * clock may have gone back between two archives.
 */
async function rewrite(
  layout: ExecutionLayout,
  replaced: readonly ArchiveEntry[],
  entries: readonly ArchiveEntry[],
): Promise<void> {
  const dropped = new Set(replaced.map(entry => entry.to))
  const changed = new Map(entries.map(entry => [entry.to, entry]))
  const manifest: ArchiveEntry[] = []
  for (const entry of await mustRead(layout)) {
    const kept = changed.get(entry.to) ?? (dropped.has(entry.to) ? undefined : entry)
    if (kept) manifest.push(kept)
    changed.delete(entry.to)
  }
  await writeArchive(layout.archiveManifest, [...manifest, ...changed.values()])
}

async function mustRead({ archiveManifest }: ExecutionLayout): Promise<readonly ArchiveEntry[]> {
  const read = await readArchive(archiveManifest)
  if (!read.ok) throw new Error(read.message)
  return read.entries
}

function inState(entries: readonly ArchiveEntry[], state: ArchiveEntry['state']): readonly ArchiveEntry[] {
  return entries.map(entry => ({ ...entry, state }))
}

async function sorted(
  { rigArchive }: ExecutionLayout,
  entries: readonly ArchiveEntry[],
  fates: readonly Fate[],
) {
  const moved: ArchiveEntry[] = []
  const vanished: string[] = []
  const problems: string[] = []
  for (const [index, entry] of entries.entries()) {
    const fate = fates[index]
    if (fate?.kind === 'moved') moved.push(entry)
    else if (fate?.kind === 'gone') vanished.push(entry.from)
    else if (fate?.kind === 'blocked') problems.push(`${entry.from} stays: ${fate.message}`)
    // An earlier attempt moved it, and a new file has its old name since.
    else if ((await contentDigest(join(rigArchive, entry.to))) === entry.sha256) moved.push(entry)
    else problems.push(`${entry.from} stays: ${entry.to} is taken in the archive`)
  }
  return { moved, vanished, problems }
}

function restoredOf(
  entries: readonly ArchiveEntry[],
  fates: readonly Fate[],
): Extract<RestoreOutcome, { ok: true }> {
  const restored: string[] = []
  const missing: string[] = []
  const kept: { from: string; to: string; message: string }[] = []
  const differing: { from: string; message: string }[] = []
  for (const [index, { from, to, sha256 }] of entries.entries()) {
    const fate = fates[index]
    if (fate?.kind === 'moved') restored.push(from)
    if (fate?.kind === 'moved' && fate.found)
      differing.push({ from, message: changedInArchive(from, sha256, fate.found) })
    if (fate?.kind === 'gone') missing.push(from)
    if (fate?.kind === 'taken') kept.push({ from, to, message: `${from} has another file in its place` })
    if (fate?.kind === 'blocked')
      kept.push({ from, to, message: `${from} cannot be put back: ${fate.message}` })
  }
  return { ok: true, restored, kept, differing, missing }
}

function changedInArchive(from: string, recorded: string, { bytes, sha256 }: Content): string {
  const found = sha256 === undefined ? 'something that is no file' : `sha256 ${sha256.slice(0, 12)}`
  return `${from} came back from the archive changed: ${bytes} bytes with ${found}, archived was sha256 ${recorded.slice(0, 12)}. Compare it before you go on.`
}
