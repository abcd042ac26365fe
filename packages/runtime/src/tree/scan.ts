import type { Stats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { fileAt } from './known-tree.ts'
import { TreeWalk, type WalkRequest } from './tree-walk.ts'

export interface ScanRequest extends WalkRequest {
  /**
   * Of the files in `known`, those that git finds changed since an index file was written, and those not listed there.
   * Only where a directory gets a new time when a name in it comes, goes or changes.
   */
  readonly changedByGit?: (() => Promise<readonly string[] | undefined>) | undefined
}

/** How the tree differs from what is known. */
export interface Scan {
  /** The time of the file system before the scan. */
  readonly now: number
  /** Selected files and links that are new, or may hold something else than is known. */
  readonly found: ReadonlyMap<string, Stats>
  /** Known files that are not there, or not selected, any more. */
  readonly gone: ReadonlySet<string>
  /** The directories that were read. */
  readonly directories: ReadonlyMap<string, Stats>
  readonly goneDirectories: readonly string[]
  /** What could not be seen. */
  readonly unread: readonly string[]
  /** How many files were seen one by one because git could not tell. */
  readonly doubtful: number
}

const filesPerTurn = 512

/**
 * Compares the work tree with what is known of it. Where git can compare the known files it does, in a fraction of the
 * time, while we look for new names; otherwise every file is seen. Follows no link: a link is an entry of its own. Names
 * may be any bytes (`nameOfBytes`). Gives the event loop turns.
 *
 * What cannot be seen is a gap and counts as unchanged; only when that is the work tree itself it rejects, with the
 * system's error, or with the reason of the signal.
 *
 * Directories are named by their path: someone who puts a link in the place of one meanwhile makes us see names from
 * elsewhere, which then cannot be read, since whoever reads enters every directory without following links.
 */
export async function scanTree({ changedByGit, ...request }: ScanRequest): Promise<Scan> {
  const { now, known } = request
  if (changedByGit) {
    const walk = new TreeWalk(request, true)
    const [changed] = await Promise.all([changedByGit(), walk.run()])
    if (changed) {
      for (const [turn, path] of changed.entries()) {
        if (turn % filesPerTurn === 0) await setImmediate()
        const file = fileAt(known, path)
        if (file && !walk.see(path, file)) walk.changes.gone.add(path)
      }
      return { ...walk.changes, now, doubtful: changed.length }
    }
  }
  const walk = new TreeWalk(request, false)
  await walk.run()
  return { ...walk.changes, now, doubtful: 0 }
}
