import { relative, resolve, sep } from 'node:path'
import type { FileNode } from '@weave/protocol'
import type { CheckpointSelection, CheckpointSelectionResult } from './checkpoint-selection.ts'
import { createDirectoryHints, type Listen } from './directory-hints.ts'
import { createLookSchedule } from './look-schedule.ts'
import { pollAlone, startLookWorker } from './look-worker.ts'
import { createWorkspaceLooks, type LooksOptions } from './workspace-looks.ts'

export interface WatchOptions extends Omit<LooksOptions, 'signal'> {
  /** Its abort closes the watch. */
  readonly signal?: AbortSignal
  /** How the system is asked to report changes; `false`: not at all, only look now and then. */
  readonly listen?: Listen | false
}

/**
 * Tells every change of the selected files, in order of path, each once.
 *
 * - **W1** The disk is the truth. Events of the system and `hint` only say when to look; a look finds everything, whatever
 *   was lost.
 * - **W2** One thing at a time: looks, tellings and wider selections never overlap.
 * - **W3** After `close` nothing is told. After a callback threw nothing is told either, and `settle` rejects with that.
 * - **W4** But for `settle` and `addPatterns`, looking takes at most a twentieth of the time when nothing is known to happen,
 *   a fifth when something is.
 */
export interface WorkspaceWatch {
  /** Something happened, perhaps to this path (absolute, or relative to the agent workspace). Never throws. */
  hint(path?: string): void
  /**
   * Looks at once. `true`: everything that had changed when this was called is told. `false`: closed meanwhile, or some
   * files are changed faster than they can be read. Rejects with what a callback threw, now or earlier.
   */
  settle(): Promise<boolean>
  /**
   * Watches what these patterns select too. Once resolved, changes of it are told; what is already there is not. A pattern
   * that is none is a value and changes nothing. Rejects like `settle`.
   */
  addPatterns(patterns: readonly string[]): Promise<{ readonly ok: true } | BadPattern>
  /** The tree of the selected files as last seen. */
  tree(): Promise<readonly FileNode[]>
  /** Idempotent. Resolves when nothing more will be told. Never rejects. */
  close(): Promise<void>
}

type BadPattern = Extract<CheckpointSelectionResult, { ok: false }>

/** Resolves when the baseline is taken: every change from now on will be told. Rejects with the reason of the signal. */
export async function watchWorkspace(options: WatchOptions): Promise<WorkspaceWatch> {
  const { agentRoot, clock, signal, listen, onNote } = options
  signal?.throwIfAborted()
  const ending = new AbortController()
  const looks = createWorkspaceLooks({ ...options, signal: ending.signal })
  const schedule = createLookSchedule(clock, pollAlone)
  let selection = options.selection

  const hints = createDirectoryHints({
    root: agentRoot,
    ...(listen && { listen }),
    onHint(path, isEntry) {
      const matters = () => selection.selects(path) || (isEntry && selection.mayHold(path))
      if (schedule.isHinted || matters()) schedule.hint()
    },
    onRefusal(code) {
      const message = `the system reports no more changes in the agent workspace (${code}); they are found later`
      onNote?.({ kind: 'polling', message })
    },
  })
  const worker = startLookWorker({
    looks,
    schedule,
    hints: listen === false ? undefined : hints,
    signal: ending.signal,
  })
  const close = async () => {
    signal?.removeEventListener('abort', abort)
    ending.abort(signal?.reason)
    hints.close()
    schedule.demand()
    await worker.ended
  }
  const abort = () => void close()
  signal?.addEventListener('abort', abort)
  await worker.began
  let widened: Promise<unknown> = Promise.resolve()

  return {
    hint(path) {
      if (path === undefined || mayMatter(selection, insideOf(agentRoot, path))) schedule.hint()
    },
    settle: worker.demand,
    async addPatterns(patterns) {
      const wider = selection.with(patterns)
      if (!wider.ok) return wider
      if (wider.selection !== selection) {
        selection = wider.selection
        looks.widen(selection)
        widened = worker.demand()
      }
      await widened
      return { ok: true }
    },
    tree: looks.tree,
    close,
  }
}

function insideOf(agentRoot: string, path: string): string {
  return relative(agentRoot, resolve(agentRoot, path)).replaceAll(sep, '/')
}

/** A path that seems to lie outside may be another spelling of one inside. */
function mayMatter(selection: CheckpointSelection, path: string): boolean {
  return path.startsWith('..') || selection.selects(path) || selection.mayHold(path)
}
