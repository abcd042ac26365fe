import { setImmediate } from 'node:timers/promises'
import type { FileNode } from '@weave/protocol'
import { createTreeReader, isSameState, isTextName } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { emittedKeyOf, type FileUpdate, largestContent, sha256Of } from './content.ts'
import { Emission, unnameable } from './emission.ts'
import { createEmittedFiles, type EmittedFiles } from './emitted-files.ts'
import { buildFileTree } from './file-tree.ts'
import { pathsBelow, removeDirectory } from './known-tree.ts'
import { type Scan, scanTree } from './scan.ts'
import { createScanObserver, type ScanObserver } from './scan-observer.ts'
import type { Scanned } from './scan-worker.ts'
import type { Selection } from './selection.ts'
import type { Gap } from './tree-walk.ts'

export interface WatchScanOptions {
  readonly agentRoot: string
  readonly selection: Selection
  /** The time of the file system of the workspace, see `FileSystem`. */
  readonly now: () => number
  readonly signal: AbortSignal
  /** In order of path. A promise is waited for before more is read, so it must settle. What it throws ends the watch. */
  readonly onChange: (update: FileUpdate) => void | Promise<void>
  /** Once after the changes of a scan, when files came or went. As `onChange`. */
  readonly onTree: (tree: readonly FileNode[]) => void | Promise<void>
  /** Something is not as complete as it should be. Once for each thing. Must not throw. */
  readonly onNote: (note: WatchNote) => void
}

export interface WatchNote {
  /**
   * `capped`: the workspace is deeper than one scan goes. `unreadable`: a file or directory cannot be seen.
   * `polling`: the system does not say when something happens, so changes are found later.
   */
  readonly kind: 'capped' | 'unreadable' | 'polling'
  readonly message: string
}

/** Scans one after the other, each followed by events of what is new. The first is the baseline: it emits nothing. */
export function createWatchScans(options: WatchScanOptions) {
  const { agentRoot, now, signal, onChange, onTree } = options
  const emitted = createEmittedFiles()
  const onGap = createGapNotes(options.onNote)
  const emitting = { emitted, signal, onChange, onGap }
  const tree = () => buildFileTree(emitted.root)
  const fingerprint = createFingerprinter({ agentRoot, emitted, signal })
  let selection = options.selection
  let adopted: Selection | undefined
  let unprinted: readonly string[] = []
  let directories: Scanned['directories'] = new Map()

  /** Rejects with the reason of the signal, or with what a callback threw. One call at a time. */
  async function take(): Promise<Scanned> {
    const wanted = selection
    const before = adopted
    const scan = await scanEmitted({ agentRoot, selection: wanted, emitted, now: now(), signal, onGap })
    const paths = changedPaths(scan, emitted, onGap)
    const isFresh = (path: string) => before !== wanted && !emitted.get(path) && !before?.selects(path)
    const fresh = new Set(paths.filter(isFresh))
    await adopt(fresh, scan, emitted)
    adopted = wanted
    unprinted = [...unprinted, ...fresh]
    const emission = new Emission({ ...emitting, selection: wanted }, scan, scan.gone)
    await emission.readAll(
      agentRoot,
      paths.filter(path => !fresh.has(path)),
    )
    for (const path of scan.goneDirectories) removeDirectory(emitted.root, path)
    if (before && (emission.isStructural || fresh.size > 0)) await onTree(tree())
    directories = new Map(namedDirectories(scan))
    return { stale: emission.stale, directories }
  }

  return {
    take,
    /** The same with the scan of a checkpoint, which `work` takes and hands to the observer. `work` must not reject. */
    async takeThrough(work: (observer: ScanObserver) => Promise<void>): Promise<Scanned> {
      const observer = createScanObserver({
        ...emitting,
        selection: adopted ?? selection,
        onScan(scan) {
          directories = directoriesAfter(directories, scan)
        },
        onEnd: ({ isStructural }) => (isStructural ? onTree(tree()) : undefined),
      })
      await work(observer)
      const failure = observer.failure()
      if (failure) throw failure.error
      signal.throwIfAborted()
      return { stale: 0, directories }
    },
    /** From the next scan on. Files that come in with the wider selection are its baseline: in the tree, but not emitted. */
    widen(wider: Selection): void {
      selection = wider
    },
    /** Reads what the baselines brought in, within limits. */
    fingerprint(): Promise<void> {
      const paths = unprinted
      unprinted = []
      return fingerprint(paths)
    },
    tree,
  }
}

interface ScanEmittedRequest {
  readonly agentRoot: string
  readonly selection: Selection
  readonly emitted: EmittedFiles
  readonly now: number
  readonly signal: AbortSignal
  readonly onGap: (gap: Gap) => void
}

/** Rejects only with the reason of the signal: where there is no workspace, there are no files. */
async function scanEmitted({ agentRoot, selection, emitted, ...rest }: ScanEmittedRequest): Promise<Scan> {
  const { root, get } = emitted
  // The selection only gets wider: for files that were emitted the patterns are not asked again.
  const selects = (path: string) => get(path) !== undefined || selection.selects(path)
  try {
    return await scanTree({ workTree: agentRoot, selection: { ...selection, selects }, known: root, ...rest })
  } catch (error) {
    rest.signal.throwIfAborted()
    const code = errorCode(error) ?? 'UNKNOWN'
    rest.onGap({ kind: 'unreadable', path: '', code })
    const gone = code === 'ENOENT' || code === 'ENOTDIR' ? [...pathsBelow(root)] : []
    return { ...emptyScan, now: rest.now, gone: new Set(gone) }
  }
}

const emptyScan = { found: new Map(), directories: new Map(), goneDirectories: [], unread: [], doubtful: 0 }

/**
 * What events have words for: a link is no file, so none is named, but it may have taken the place of one; a name that is
 * no UTF-8 is a gap.
 */
function changedPaths({ found }: Scan, emitted: EmittedFiles, onGap: (gap: Gap) => void): readonly string[] {
  const paths: string[] = []
  for (const [path, stats] of found) {
    if (!isTextName(path)) {
      if (stats.isFile()) onGap(unnameable(path))
    } else if (stats.isFile() || emitted.get(path)) paths.push(path)
  }
  return paths
}

const adoptedPerTurn = 5_000

async function adopt(paths: ReadonlySet<string>, { found, now }: Scan, emitted: EmittedFiles): Promise<void> {
  let turn = 0
  for (const path of paths) {
    if (++turn % adoptedPerTurn === 0) await setImmediate()
    const stats = found.get(path)
    if (stats) emitted.adopt(path, emittedKeyOf(stats, now))
  }
}

/** A checkpoint's scan does not read the directories that have not changed. */
function directoriesAfter(before: Scanned['directories'], scan: Scan): Scanned['directories'] {
  const after = new Map(before)
  for (const gone of scan.goneDirectories) {
    for (const path of before.keys()) if (path === gone || path.startsWith(`${gone}/`)) after.delete(path)
  }
  for (const [path, id] of namedDirectories(scan)) after.set(path, id)
  return after
}

/** Those below the root that the system can be asked to watch, each with what tells it from another of the same name. */
function namedDirectories({ directories }: Scan): readonly (readonly [string, string])[] {
  return [...directories]
    .filter(([path]) => path !== '' && isTextName(path))
    .map(([path, { ino, birthtimeMs }]) => [path, `${ino}:${birthtimeMs}`] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const mostNotes = 100

function createGapNotes(onNote: WatchScanOptions['onNote']): (gap: Gap) => void {
  const noted = new Set<string>()
  return gap => {
    const key = gap.kind === 'capped' ? gap.kind : gap.path
    if (noted.has(key) || noted.size === mostNotes) return
    noted.add(key)
    onNote({ kind: gap.kind, message: messageOf(gap) })
  }
}

function messageOf(gap: Gap): string {
  const path = gap.path || 'the agent workspace'
  if (gap.kind === 'unreadable') return `${path} cannot be read (${gap.code}), so its changes are not shown`
  return `the agent workspace is nested too deeply to be watched; changes from ${path} on are not shown`
}

interface FingerprintOptions {
  readonly agentRoot: string
  readonly emitted: EmittedFiles
  readonly signal: AbortSignal
}

/** About a tenth of a second of reading, once in the life of a watch. */
const mostFiles = 2_000
const mostBytes = 16 * 1024 * 1024
const filesPerTurn = 32

/**
 * Reads the content of files that were adopted without reading them, so that writing the same content again is not
 * emitted. Only so many and so much of them, over all calls; large files never. Rejects only with the reason of the signal.
 */
function createFingerprinter({ agentRoot, emitted, signal }: FingerprintOptions) {
  let filesLeft = mostFiles
  let bytesLeft = mostBytes

  return async function fingerprint(paths: readonly string[]): Promise<void> {
    const reader = createTreeReader(agentRoot)
    try {
      for (const path of paths) {
        const file = emitted.get(path)
        if (!file || file.sha256 !== undefined || filesLeft === 0) continue
        const { size } = file.key
        if (size > largestContent || size > bytesLeft) continue
        bytesLeft -= size
        if (--filesLeft % filesPerTurn === 0) await setImmediate()
        signal.throwIfAborted()
        const reading = await reader.read(path).catch(() => undefined)
        if (reading?.kind === 'large') reading.file.close()
        else if (reading?.kind === 'read' && isSameState(reading.stats, file.key))
          file.sha256 = sha256Of(reading.bytes)
      }
    } finally {
      reader.close()
    }
  }
}
