import { join } from 'node:path'
import { contentDigest, ensureDirDurably, wordsOf } from '../files/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { type ArchiveEntry, type ArchivePlan, readArchive, writeArchive } from './archive-plan.ts'
import { type Content, type Fate, transfer } from './archive-transfer.ts'

export type ArchiveOutcome =
  | {
      readonly ok: true
      readonly moved: readonly ArchiveEntry[]
      /** Paths in the workspace that were gone before they could move. */
      readonly vanished: readonly string[]
    }
  /** Do it again to finish, or undo it with `restoreArchived` of the plan's entries. */
  | { readonly ok: false; readonly message: string }

export type RestoreOutcome =
  | {
      readonly ok: true
      /** Paths in the workspace. */
      readonly restored: readonly string[]
      /** Still in the archive, because something else is in the place or in the way to it. */
      readonly kept: readonly { readonly from: string; readonly to: string; readonly message: string }[]
      /** Restored all the same, with other bytes than were archived. */
      readonly differing: readonly { readonly from: string; readonly message: string }[]
      /** Paths whose file is neither in the archive nor in its place; dropped from the manifest. */
      readonly missing: readonly string[]
    }
  /** Do it again to finish. */
  | { readonly ok: false; readonly message: string }

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
    const fates = await transfer({
      sourceRoot: layout.agentRoot,
      targetRoot: layout.rigArchive,
      passages: entries.map(({ from, to }) => ({ source: from, target: to })),
    })
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
    const fates = await transfer({
      sourceRoot: layout.rigArchive,
      targetRoot: layout.agentRoot,
      passages: entries.map(({ from, to, sha256 }) => ({ source: to, target: from, sha256 })),
    })
    const outcome = restoredOf(entries, fates)
    const keptPlaces = new Set(outcome.kept.map(kept => kept.to))
    await rewrite(
      layout,
      entries,
      inState(
        entries.filter(entry => keptPlaces.has(entry.to)),
        'archived',
      ),
    )
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

interface Sorted {
  readonly moved: ArchiveEntry[]
  readonly vanished: string[]
  readonly problems: string[]
}

async function sorted(
  { rigArchive }: ExecutionLayout,
  entries: readonly ArchiveEntry[],
  fates: readonly Fate[],
): Promise<Sorted> {
  const result: Sorted = { moved: [], vanished: [], problems: [] }
  for (const [index, entry] of entries.entries()) {
    const fate = fates[index]
    if (fate?.kind === 'moved') result.moved.push(entry)
    else if (fate?.kind === 'gone') result.vanished.push(entry.from)
    else if (fate?.kind === 'blocked') result.problems.push(`${entry.from} stays: ${fate.message}`)
    // An earlier attempt moved it, and a new file has its old name since.
    else if ((await contentDigest(join(rigArchive, entry.to))) === entry.sha256) result.moved.push(entry)
    else result.problems.push(`${entry.from} stays: ${entry.to} is taken in the archive`)
  }
  return result
}

function restoredOf(
  entries: readonly ArchiveEntry[],
  fates: readonly Fate[],
): Extract<RestoreOutcome, { ok: true }> {
  const withFate = (kind: Fate['kind']) =>
    entries.filter((_, index) => fates[index]?.kind === kind).map(entry => entry.from)
  const kept = entries.flatMap(({ from, to }, index) => {
    const fate = fates[index]
    if (fate?.kind === 'taken') return [{ from, to, message: `${from} has another file in its place` }]
    if (fate?.kind === 'blocked')
      return [{ from, to, message: `${from} cannot be put back: ${fate.message}` }]
    return []
  })
  const differing = entries.flatMap(({ from, sha256 }, index) => {
    const fate = fates[index]
    const found = fate?.kind === 'moved' ? fate.found : undefined
    return found ? [{ from, message: changedInArchive(from, sha256, found) }] : []
  })
  return { ok: true, restored: withFate('moved'), kept, differing, missing: withFate('gone') }
}

function changedInArchive(from: string, recorded: string, { bytes, sha256 }: Content): string {
  const found = sha256 === undefined ? 'something that is no file' : `sha256 ${sha256.slice(0, 12)}`
  return `${from} came back from the archive changed: ${bytes} bytes with ${found}, archived was sha256 ${recorded.slice(0, 12)}. Compare it before you go on.`
}
