import {
  type ArchivePlan,
  performArchive,
  planArchive,
  readArchive,
  restoreArchived,
} from '../effects/index.ts'
import type { Clock, Result } from '../kit/index.ts'
import type { ArchivedFiles, CodonPlace, EffectResult } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface ArchivePlace {
  readonly layout: ExecutionLayout
  readonly clock: Clock
  readonly warn: (message: string) => void
}

/** Puts back what the ends of these codons had archived. Never rejects. */
export async function restoreArchives(
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
export async function archiveAgain(
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
