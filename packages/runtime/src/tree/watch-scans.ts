import { setImmediate } from 'node:timers/promises'
import type { FileNode } from '@weave/protocol'
import { type FileScan, namedDirectories, scanFiles } from './changes.ts'
import type { FileUpdate } from './content.ts'
import {
  createFingerprinter,
  createScanObserver,
  type Emission,
  emitChanges,
  type ScanObserver,
} from './emit.ts'
import { createEmittedFiles, type EmittedFiles } from './emitted-files.ts'
import { buildFileTree } from './file-tree.ts'
import type { Gap, ScanLimits } from './scan.ts'
import type { StoredScan } from './scan-cache.ts'
import type { Scanned } from './schedule.ts'
import type { Selection } from './selection.ts'

export interface WatchScanOptions {
  readonly agentRoot: string
  readonly selection: Selection
  /** The time of the file system of the workspace, see `FileSystem`. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly limits?: ScanLimits
  /** In order of path. A promise is waited for before more is read, so it must settle. What it throws ends the watch. */
  readonly onChange: (update: FileUpdate) => void | Promise<void>
  /** Once after the changes of a scan, when files came or went. As `onChange`. */
  readonly onTree: (tree: readonly FileNode[]) => void | Promise<void>
  /** Something is not as complete as it should be. Once for each thing. Must not throw. */
  readonly onNote?: ((note: WatchNote) => void) | undefined
}

export interface WatchNote {
  /**
   * `capped`: the workspace is larger than one scan may be. `unreadable`: a file or directory cannot be seen.
   * `polling`: the system does not say when something happens, so changes are found later.
   */
  readonly kind: 'capped' | 'unreadable' | 'polling'
  readonly message: string
}

/** Scans one after the other, each followed by events of what is new. The first is the baseline: it emits nothing. */
export interface WatchScans {
  /** Rejects with the reason of the signal, or with what a callback threw. One call at a time. */
  take(): Promise<Scanned>
  /** The same with the scan of a checkpoint, which `work` takes and hands to the observer. `work` must not reject. */
  takeThrough(work: (observer: ScanObserver) => Promise<void>): Promise<Scanned>
  /** From the next scan on. Files that come in with the wider selection are its baseline: in the tree, but not emitted. */
  widen(selection: Selection): void
  /** Reads what the baselines brought in, within limits. */
  fingerprint(): Promise<void>
  /** Of what is known now. */
  tree(): Promise<readonly FileNode[]>
}

export function createWatchScans(options: WatchScanOptions): WatchScans {
  const { agentRoot, now, signal, limits, onChange, onTree } = options
  const emitted = createEmittedFiles()
  const tree = createTreeCache(emitted)
  const onGap = createGapNotes(options.onNote)
  const emitting = { agentRoot, emitted, now, signal, onChange, onGap }
  const fingerprint = createFingerprinter(emitting)
  let selection = options.selection
  let adopted: Selection | undefined
  let unprinted: readonly string[] = []
  let directories: FileScan['directories'] = new Map()

  async function take(): Promise<Scanned> {
    const wanted = selection
    const before = adopted
    const scan = await scanFiles({
      agentRoot,
      selection: wanted,
      now,
      known: emitted.files,
      signal,
      ...(limits && { limits }),
    })
    for (const gap of scan.gaps) onGap(gap)
    const fresh =
      before === wanted ? [] : await adopt({ scan, emitted, isNew: path => !before?.selects(path) })
    adopted = wanted
    unprinted = [...unprinted, ...fresh]
    const { isStructural, isChanged, stale } = await emitChanges(scan, emitting)
    if (isChanged || fresh.length > 0) tree.forget()
    if (before && (isStructural || fresh.length > 0)) await onTree(await tree.get())
    directories = scan.directories
    return { stale, directories }
  }

  async function onEnd({ isChanged, isStructural }: Emission): Promise<void> {
    if (isChanged) tree.forget()
    if (isStructural) await onTree(await tree.get())
  }

  return {
    take,
    async takeThrough(work) {
      const observer = createScanObserver({ ...emitting, selection: adopted ?? selection, onEnd })
      await work({
        ...observer,
        scanned(scan, stored) {
          directories = directoriesAfter(directories, scan)
          return observer.scanned(scan, stored)
        },
      })
      const failure = observer.failure()
      if (failure) throw failure.error
      signal.throwIfAborted()
      return { stale: 0, directories }
    },
    widen(wider) {
      selection = wider
    },
    fingerprint() {
      const paths = unprinted
      unprinted = []
      return fingerprint(paths)
    },
    tree: tree.get,
  }
}

/** A checkpoint's scan does not read the directories that have not changed. */
function directoriesAfter(
  before: FileScan['directories'],
  { directories, goneDirectories }: StoredScan,
): FileScan['directories'] {
  const after = new Map(before)
  for (const gone of goneDirectories) {
    for (const path of before.keys()) if (path === gone || path.startsWith(`${gone}/`)) after.delete(path)
  }
  for (const [path, id] of namedDirectories(directories)) after.set(path, id)
  return after
}

interface Adoption {
  readonly scan: FileScan
  readonly emitted: EmittedFiles
  readonly isNew: (path: string) => boolean
}

const adoptedPerTurn = 5_000

async function adopt({ scan, emitted, isNew }: Adoption): Promise<readonly string[]> {
  const paths: string[] = []
  let turn = 0
  for (const [path, key] of scan.files) {
    if (++turn % adoptedPerTurn === 0) await setImmediate()
    if (emitted.files.has(path) || !isNew(path)) continue
    emitted.adopt(path, key)
    paths.push(path)
  }
  return paths
}

function createTreeCache({ files }: EmittedFiles) {
  let kept: Promise<readonly FileNode[]> | undefined
  return {
    forget() {
      kept = undefined
    },
    get(): Promise<readonly FileNode[]> {
      kept ??= buildFileTree(files)
      return kept
    },
  }
}

const mostNotes = 100

function createGapNotes(onNote: WatchScanOptions['onNote']): (gap: Gap) => void {
  const noted = new Set<string>()
  return gap => {
    const key = gap.kind === 'capped' ? gap.cap : gap.path
    if (noted.has(key) || noted.size === mostNotes) return
    noted.add(key)
    onNote?.({ kind: gap.kind, message: messageOf(gap) })
  }
}

function messageOf(gap: Gap): string {
  const path = gap.path || 'the agent workspace'
  if (gap.kind === 'unreadable') return `${path} cannot be read (${gap.code}), so its changes are not shown`
  const much = gap.cap === 'entries' ? 'holds too many files' : 'is nested too deeply'
  return `the agent workspace ${much} to be watched; changes from ${path} on are not shown`
}
