import { setImmediate } from 'node:timers/promises'
import { bytesOfName, isSameState, isTextName } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { emittedKeyOf } from './content.ts'
import { createDirectory } from './known-tree.ts'
import { type Gap, type Scan, type ScanLimits, scanTree } from './scan.ts'
import type { Selection } from './selection.ts'
import type { StatKey } from './stat-key.ts'

/** A scan of what events can name: regular files whose path is text. */
export interface FileScan {
  readonly files: ReadonlyMap<string, StatKey>
  /** Every directory below the root that may hold a selected file, with what tells it from another of the same name. */
  readonly directories: ReadonlyMap<string, string>
  /** What could not be seen; at most `mostGapsNamed` of them. Empty: the scan was complete. */
  readonly gaps: readonly Gap[]
}

export interface FileScanOptions {
  readonly agentRoot: string
  readonly selection: Selection
  /** The time of the file system, see `FileSystem`. */
  readonly now: () => number
  /** Files of this selection from earlier scans: for them the patterns are not asked again. */
  readonly known?: ReadonlyMap<string, StatKey>
  readonly signal?: AbortSignal
  readonly limits?: ScanLimits
}

/**
 * The selected files as `scanTree` sees them, which is also what a checkpoint holds, but for two kinds that an event has no
 * words for: a link is no file, so none is named; a name that is no UTF-8 is a gap. Rejects only with `signal.reason`.
 */
export async function scanFiles(options: FileScanOptions): Promise<FileScan> {
  const { agentRoot, selection, known, signal, limits } = options
  const gaps: Gap[] = []
  const onGap = (gap: Gap): void => {
    if (gap.kind === 'capped' || gaps.length < mostGapsNamed) gaps.push(gap)
  }
  const now = options.now()
  const scan = await scanTree({
    workTree: agentRoot,
    selection: known
      ? { ...selection, selects: path => known.has(path) || selection.selects(path) }
      : selection,
    known: createDirectory(),
    fileSystem: { now: () => now, marksDirectories: false },
    limits,
    signal,
    onGap,
  }).catch((error: unknown) => {
    signal?.throwIfAborted()
    onGap({ kind: 'unreadable', path: '', code: errorCode(error) ?? 'UNKNOWN' })
  })
  return { ...(scan ? await namedFiles(scan, { known, onGap }) : nothing), gaps }
}

const mostGapsNamed = 100
const nothing = { files: new Map(), directories: new Map() }

interface Naming {
  readonly known: FileScanOptions['known'] | undefined
  readonly onGap: (gap: Gap) => void
}

async function namedFiles(
  { found, directories, now }: Scan,
  { known, onGap }: Naming,
): Promise<Omit<FileScan, 'gaps'>> {
  const files = new Map<string, StatKey>()
  let turn = 0
  for (const [path, stats] of found) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    if (!stats.isFile()) continue
    if (!isTextName(path)) {
      onGap(unnameable(path))
      continue
    }
    const before = known?.get(path)
    // One object for a file that stays as it is, however often it is seen.
    files.set(path, before && isSameState(before, stats) ? before : emittedKeyOf(stats, now))
  }
  return { files, directories: new Map(namedDirectories(directories)) }
}

/** Those below the root that the system can be asked to watch, each with what tells it from another of the same name. */
export function namedDirectories(directories: Scan['directories']): readonly (readonly [string, string])[] {
  return [...directories]
    .filter(([path]) => path !== '' && isTextName(path))
    .map(([path, { ino, birthtimeMs }]) => [path, `${ino}:${birthtimeMs}`] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Up to the first name that is no UTF-8. */
export function unnameable(path: string): Gap {
  const names = path.split('/')
  const end = names.findIndex(name => !isTextName(name)) + 1
  return { kind: 'unreadable', path: bytesOfName(names.slice(0, end).join('/')).toString(), code: 'EILSEQ' }
}

export interface FileChange {
  readonly path: string
  /** `doubtful`: nothing says that the content is another, and nothing that it is the same; reading it will. */
  readonly kind: 'created' | 'modified' | 'deleted' | 'doubtful'
  /** What the scan saw; for `deleted` what was known before. */
  readonly key: StatKey
}

/**
 * What a scan shows that was not emitted, ordered by path in code units. When the scan has gaps, `deleted` only means that
 * the file was not seen. Neither may change meanwhile: the event loop gets turns.
 */
export async function changesSince(
  emitted: { readonly files: ReadonlyMap<string, StatKey> },
  scan: Pick<FileScan, 'files'>,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = []
  let turn = 0
  for (const [path, key] of scan.files) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    const kind = changeOf(emitted.files.get(path), key)
    if (kind) changes.push({ path, kind, key })
  }
  for (const [path, key] of emitted.files) {
    if (++turn % comparedPerTurn === 0) await setImmediate()
    if (!scan.files.has(path)) changes.push({ path, kind: 'deleted', key })
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const comparedPerTurn = 10_000

/** `undefined`: the file is as it was. */
export function changeOf(
  before: StatKey | undefined,
  key: StatKey,
): Exclude<FileChange['kind'], 'deleted'> | undefined {
  if (!before) return 'created'
  if (isSameState(before, key)) return before.isRacy ? 'doubtful' : undefined
  // A change of mode or of the number of names moves the time of change alone.
  const isSameContent = before.size === key.size && before.mtimeMs === key.mtimeMs && before.ino === key.ino
  return isSameContent ? 'doubtful' : 'modified'
}
