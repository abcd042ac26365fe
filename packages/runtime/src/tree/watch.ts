import { relative, resolve, sep } from 'node:path'
import type { FileNode } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import { createDirectoryHints, type Listen } from './directory-hints.ts'
import type { ScanObserver } from './scan-observer.ts'
import { startScanWorker } from './scan-worker.ts'
import { createScanSchedule } from './schedule.ts'
import type { Selection, SelectionResult } from './selection.ts'
import { createWatchScans, type WatchScanOptions } from './watch-scans.ts'

export interface WatchOptions extends Omit<WatchScanOptions, 'signal'> {
  readonly clock: Clock
  /** How the system is asked to report changes; `false`: not at all, only scan now and then. */
  readonly listen?: Listen | false
}

/**
 * Emits every change of the selected files, in order of path, each once.
 *
 * - **W1** The disk is the truth. Events of the system and `hint` only say when to scan; a scan finds everything, whatever
 *   was lost.
 * - **W2** One thing at a time: scans, emissions and wider selections never overlap.
 * - **W3** After `close` nothing is emitted. After a callback threw nothing is emitted either, and `settle` rejects with
 *   that.
 * - **W4** But for `settle`, `settleThrough` and `addPatterns`, scanning takes at most a twentieth of the time when nothing
 *   is known to happen, a fifth when something is.
 */
export interface WorkspaceWatch {
  /** Something happened, perhaps to this path (absolute, or relative to the agent workspace). Never throws. */
  hint(path?: string): void
  /**
   * Scans at once. `true`: everything that had changed when this was called is emitted. `false`: closed meanwhile, or some
   * files could not be read just now. Rejects with what a callback threw, now or earlier.
   */
  settle(): Promise<boolean>
  /**
   * `settle` by the scan of a checkpoint, which `work` takes and hands to the observer: what is emitted is what is stored.
   * Resolves or rejects as `work` does, which is done in any case; rejects with what a callback threw, once it is done.
   */
  settleThrough<Result>(work: (observer?: ScanObserver) => Promise<Result>): Promise<Result>
  /**
   * Watches what these lists of patterns select too. Once resolved, changes of it are emitted; what is already there is
   * not. A pattern that is none is a value and changes nothing. Rejects like `settle`.
   */
  addPatterns(...lists: readonly (readonly string[])[]): Promise<{ readonly ok: true } | BadPattern>
  /** The tree of the selected files as last seen. */
  tree(): Promise<readonly FileNode[]>
  /** Idempotent. Resolves when nothing more will be emitted. Never rejects. */
  close(): Promise<void>
}

type BadPattern = Extract<SelectionResult, { ok: false }>

/** Resolves when the baseline is taken: every change from now on will be emitted. */
export async function watchWorkspace(options: WatchOptions): Promise<WorkspaceWatch> {
  const { agentRoot, clock, listen, onNote } = options
  const ending = new AbortController()
  const scans = createWatchScans({ ...options, now: timeOf(options), signal: ending.signal })
  const schedule = createScanSchedule(clock)
  let selection = options.selection

  const hints = createDirectoryHints({
    root: agentRoot,
    listen: listen || undefined,
    onHint(path, isEntry) {
      const matters = () => selection.selects(path) || (isEntry && selection.mayHold(path))
      if (schedule.isHinted || matters()) schedule.hint()
    },
    onRefusal(code) {
      const message = `the system reports no more changes in the agent workspace (${code}); they are found later`
      onNote({ kind: 'polling', message })
    },
  })
  const worker = startScanWorker({
    takeScan: scans.take,
    onIdle: scans.fingerprint,
    schedule,
    hints: listen === false ? undefined : hints,
    signal: ending.signal,
  })
  await worker.began
  let widened: Promise<unknown> = Promise.resolve()

  return {
    hint(path) {
      if (path === undefined || mayMatter(selection, relative(agentRoot, resolve(agentRoot, path))))
        schedule.hint()
    },
    settle: () => worker.demand(),
    async settleThrough(work) {
      let done: ReturnType<typeof work> | undefined
      const begin = (observer?: ScanObserver) => (done ??= work(observer))
      const quietly = (observer?: ScanObserver) => begin(observer).then(ignore, ignore)
      try {
        await worker.demand(() => scans.takeThrough(quietly))
      } finally {
        await quietly()
      }
      return begin()
    },
    async addPatterns(...lists) {
      let wider: SelectionResult = { ok: true, selection }
      for (const list of lists) {
        wider = wider.selection.with(list)
        if (!wider.ok) return wider
      }
      if (wider.selection !== selection) {
        selection = wider.selection
        scans.widen(selection)
        widened = worker.demand()
      }
      await widened
      return { ok: true }
    },
    tree: async () => scans.tree(),
    async close() {
      ending.abort()
      hints.close()
      schedule.demand()
      await worker.ended
    },
  }
}

function ignore(): void {
  // Whoever began the work hears of it.
}

/** A file system that cannot be asked for its time is taken for far behind. */
function timeOf({ now, clock }: WatchOptions): () => number {
  return () => {
    try {
      return now()
    } catch {
      return clock.now().getTime() - farBehind
    }
  }
}

const farBehind = 5_000

/** A path that seems to lie outside may be another spelling of one inside. */
function mayMatter(selection: Selection, way: string): boolean {
  const path = way.replaceAll(sep, '/')
  return path.startsWith('..') || selection.selects(path) || selection.mayHold(path)
}
