import type { Stats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { walk } from '../files/index.ts'
import type { Clock } from '../kit/index.ts'
import { type CheckpointSelection, isNeverSelected } from './checkpoint-selection.ts'

/**
 * What tells one version of a file from the next without reading it. The time of change moves with every write, rename
 * and change of mode, also when a program puts the time of modification back.
 */
export interface FileStamp {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly ino: number
  readonly dev: number
}

/** One look at the disk. */
export interface Look {
  /** The selected regular files, directory by directory, names in code-unit order. */
  readonly files: ReadonlyMap<string, FileStamp>
  /** Every directory below the root that may hold a selected file, with what tells it from another of the same name. */
  readonly directories: ReadonlyMap<string, string>
  /** Files that may be written again without a visible difference (see `isYoung`). */
  readonly young: ReadonlySet<string>
  /** What could not be looked at; at most `mostGapsNamed` of them. Empty: the look was complete. */
  readonly gaps: readonly Gap[]
}

export type Gap =
  | { readonly kind: 'unreadable'; readonly path: string; readonly code: string }
  | { readonly kind: 'capped'; readonly cap: 'entries' | 'depth'; readonly path: string }

export interface LookOptions {
  readonly agentRoot: string
  readonly selection: CheckpointSelection
  readonly clock: Clock
  /** Files of this selection from earlier looks: for them it is not asked again. */
  readonly known?: ReadonlyMap<string, FileStamp>
  readonly signal?: AbortSignal
  readonly limits?: LookLimits
}

export interface LookLimits {
  /** Names looked at in one look, whether selected or not. */
  readonly maxEntries: number
  readonly maxDepth: number
}

const defaultLookLimits: LookLimits = { maxEntries: 250_000, maxDepth: 100 }

/**
 * Looks at every selected file below the root. Follows no link (a link is not a file), skips pipes and devices, gives the
 * event loop a turn every few hundred entries, and never enters what cannot hold a selected file. Rejects only with
 * `signal.reason`.
 */
export async function lookAtFiles(options: LookOptions): Promise<Look> {
  const { agentRoot, selection, clock, known, signal, limits = defaultLookLimits } = options
  const files = new Map<string, FileStamp>()
  const directories = new Map<string, string>()
  const young = new Set<string>()
  const gaps: Gap[] = []
  const began = clock.now().getTime()
  let covered: string | undefined

  const skip = (path: string, stats: Stats) =>
    isNeverSelected(path) || (stats.isDirectory() ? !selection.mayHold(path) : !stats.isFile())
  for await (const item of walk(agentRoot, { ...limits, skip, ...(signal && { signal }) })) {
    if (item.kind !== 'entry') {
      if (item.kind === 'capped' || gaps.length < mostGapsNamed) gaps.push(item)
      continue
    }
    const { path, stats } = item
    const isCovered = covered !== undefined && path.startsWith(covered)
    if (stats.isDirectory()) {
      directories.set(path, `${stats.ino}:${stats.birthtimeMs}`)
      if (!isCovered && selection.covers(path)) covered = `${path}/`
    } else {
      const before = known?.get(path)
      if (!before && !isCovered && !selection.selects(path)) continue
      const seen = stampOf(stats)
      // One object for a file that stays as it is, however often it is looked at.
      const stamp = before && isSameStamp(before, seen) ? before : seen
      files.set(path, stamp)
      if (isYoung(stamp, began)) young.add(path)
    }
  }
  return { files, directories, young, gaps }
}

const mostGapsNamed = 100

export function stampOf({ size, mtimeMs, ctimeMs, ino, dev }: Stats): FileStamp {
  return { size, mtimeMs, ctimeMs, ino, dev }
}

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && isSameFile(a, b)
}

/** The same file on the disk, whatever it holds now and whatever it is called. */
export function isSameFile(a: Pick<FileStamp, 'ino' | 'dev'>, b: Pick<FileStamp, 'ino' | 'dev'>): boolean {
  return a.ino === b.ino && a.dev === b.dev
}

/** File systems count time in steps of up to some ten milliseconds. */
const coarsestTick = 50
/** A file that claims to be from later than this is not young: its clock is not ours. */
const trustedSkew = 60_000

/**
 * Changed so shortly before `now` (wall clock) that another write of as many bytes can leave the same stamp. What is known
 * of such a file must be checked by its content once more.
 */
export function isYoung({ ctimeMs }: FileStamp, now: number): boolean {
  return ctimeMs >= now - coarsestTick && ctimeMs <= now + trustedSkew
}

export interface FileChange {
  readonly path: string
  /** `doubtful`: nothing says that the content is another, and nothing that it is the same; reading it will. */
  readonly kind: 'created' | 'modified' | 'deleted' | 'doubtful'
  /** What the look saw; for `deleted` what was known before. */
  readonly stamp: FileStamp
}

/** What earlier looks left behind. */
export interface SeenBefore {
  readonly files: ReadonlyMap<string, FileStamp>
  readonly young: ReadonlySet<string>
}

/**
 * What a look shows that was not known, ordered by path in code units. When the look has gaps, `deleted` only means that
 * the file was not seen. Neither may change meanwhile: the event loop gets turns.
 */
export async function changesSince(known: SeenBefore, look: Look): Promise<readonly FileChange[]> {
  const changes: FileChange[] = []
  let turn = 0
  for (const [path, stamp] of look.files) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    const before = known.files.get(path)
    if (!before) changes.push({ path, kind: 'created', stamp })
    else if (!isSameStamp(before, stamp)) changes.push({ path, kind: differenceOf(before, stamp), stamp })
    else if (known.young.has(path)) changes.push({ path, kind: 'doubtful', stamp })
  }
  for (const [path, stamp] of known.files) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    if (!look.files.has(path)) changes.push({ path, kind: 'deleted', stamp })
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const comparedPerTurn = 10_000

/** A change of mode or of the number of names moves the time of change alone. */
function differenceOf(before: FileStamp, stamp: FileStamp): 'modified' | 'doubtful' {
  const isSameContent =
    before.size === stamp.size && before.mtimeMs === stamp.mtimeMs && isSameFile(before, stamp)
  return isSameContent ? 'doubtful' : 'modified'
}
