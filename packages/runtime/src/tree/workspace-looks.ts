import { setImmediate } from 'node:timers/promises'
import type { FileNode } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import { createFingerprinter, tellChanges } from './change-teller.ts'
import type { CheckpointSelection } from './checkpoint-selection.ts'
import { type Gap, type Look, type LookLimits, lookAtFiles } from './file-state.ts'
import { buildFileTree } from './file-tree.ts'
import type { FileUpdate } from './file-update.ts'
import { createKnownFiles, type KnownFiles } from './known-files.ts'

export interface LooksOptions {
  readonly agentRoot: string
  readonly selection: CheckpointSelection
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limits?: LookLimits
  /** Told in order of path. A promise is waited for before more is read, so it must settle. What it throws ends the watch. */
  readonly onChange: (update: FileUpdate) => void | Promise<void>
  /** Told once after the changes of a look, when files came or went. As `onChange`. */
  readonly onTree: (tree: readonly FileNode[]) => void | Promise<void>
  /** Something is not as complete as it should be. Once for each thing. Must not throw. */
  readonly onNote?: ((note: WatchNote) => void) | undefined
}

export interface WatchNote {
  /**
   * `capped`: the workspace is larger than one look may be. `unreadable`: a file or directory cannot be looked at.
   * `polling`: the system does not say when something happens, so changes are found later.
   */
  readonly kind: 'capped' | 'unreadable' | 'polling'
  readonly message: string
}

export interface Taken {
  /** Files that were changed again before they were read. */
  readonly stale: number
  readonly directories: Look['directories']
}

/** Looks at the disk, one after the other, and tells what is new. The first is the baseline: it tells nothing. */
export interface WorkspaceLooks {
  /** Rejects with the reason of the signal, or with what a callback threw. One call at a time. */
  take(): Promise<Taken>
  /** From the next look on. Files that come in with the wider selection are its baseline: in the tree, but not told. */
  widen(selection: CheckpointSelection): void
  /** Reads what the baselines brought in, within limits. */
  fingerprint(): Promise<void>
  /** Of what is known now. */
  tree(): Promise<readonly FileNode[]>
}

export function createWorkspaceLooks(options: LooksOptions): WorkspaceLooks {
  const { agentRoot, clock, signal, limits, onTree } = options
  const known = createKnownFiles()
  const tree = createTreeCache(known)
  const note = createNotes(options.onNote)
  const onUnreadable = (path: string, code: string) => note({ kind: 'unreadable', path, code })
  const teller = { ...options, known, onUnreadable }
  const fingerprint = createFingerprinter({ agentRoot, known, signal })
  let selection = options.selection
  let adopted: CheckpointSelection | undefined
  let unprinted: readonly string[] = []

  async function take(): Promise<Taken> {
    const wanted = selection
    const before = adopted
    const look = await lookAtFiles({
      agentRoot,
      selection: wanted,
      clock,
      known: known.files,
      signal,
      ...(limits && { limits }),
    })
    for (const gap of look.gaps) note(gap)
    const fresh = before === wanted ? [] : await adopt({ look, known, isNew: path => !before?.selects(path) })
    adopted = wanted
    unprinted = [...unprinted, ...fresh]
    const { isStructural, isChanged, stale } = await tellChanges(look, teller)
    if (isChanged || fresh.length > 0) tree.forget()
    if (before && (isStructural || fresh.length > 0)) await onTree(await tree.get())
    return { stale, directories: look.directories }
  }

  return {
    take,
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

interface Adoption {
  readonly look: Look
  readonly known: KnownFiles
  readonly isNew: (path: string) => boolean
}

const adoptedPerTurn = 5_000

async function adopt({ look, known, isNew }: Adoption): Promise<readonly string[]> {
  const paths: string[] = []
  let turn = 0
  for (const [path, stamp] of look.files) {
    if (++turn % adoptedPerTurn === 0) await setImmediate()
    if (known.files.has(path) || !isNew(path)) continue
    known.adopt(path, stamp, look.young.has(path))
    paths.push(path)
  }
  return paths
}

function createTreeCache({ files }: KnownFiles) {
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

function createNotes(onNote: LooksOptions['onNote']): (gap: Gap) => void {
  const said = new Set<string>()
  return gap => {
    const key = gap.kind === 'capped' ? gap.cap : gap.path
    if (said.has(key) || said.size === mostNotes) return
    said.add(key)
    onNote?.({ kind: gap.kind, message: messageOf(gap) })
  }
}

function messageOf(gap: Gap): string {
  const path = gap.path || 'the agent workspace'
  if (gap.kind === 'unreadable') return `${path} cannot be read (${gap.code}), so its changes are not shown`
  const much = gap.cap === 'entries' ? 'holds too many files' : 'is nested too deeply'
  return `the agent workspace ${much} to be watched; changes from ${path} on are not shown`
}
