import type { Stats } from 'node:fs'
import { type WalkItem, walk } from '../files/index.ts'
import { createMatcher } from '../kit/index.ts'
import { createReach, dataSourceName } from './selection.ts'

export interface SelectionRequest {
  readonly agentRoot: string
  /** By gitignore rules, relative to the workspace. */
  readonly patterns: readonly string[]
  /** Leaves out an entry and everything below it, besides the data. Must not throw. */
  readonly skip?: (path: string) => boolean
  readonly signal?: AbortSignal | undefined
}

export interface SelectedFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string
  /** Of the entry itself: it may be a link, a FIFO or a device. */
  readonly stats: Stats
}

export interface SelectedFiles {
  /** Everything selected that is not a directory, in the order of a walk. */
  readonly files: readonly SelectedFile[]
  /** Directories that could not be read and might have held more. */
  readonly unreadable: readonly string[]
  /** The patterns that select nothing of it. */
  readonly idle: readonly string[]
}

/**
 * The files of the workspace that the patterns select. The data source is never entered. Rejects with the reason of the
 * signal, or an error when the answer would not be whole: a selection that silently lacks files is worse than none.
 */
export async function selectFiles(request: SelectionRequest): Promise<SelectedFiles> {
  const { agentRoot, patterns, skip = () => false, signal } = request
  const matcher = createMatcher(patterns)
  if (!matcher.ok) throw new Error(`the pattern ${patterns[matcher.index] ?? ''} is ${matcher.message}`)
  const files: SelectedFile[] = []
  const unreadable: string[] = []
  const mayHold = createReach(patterns)
  const idle = createIdlePatterns(patterns)
  const options = {
    ...caps,
    signal,
    // What no pattern can reach may be as deep and as closed as it likes.
    skip: (path: string, stats: Stats) =>
      path === dataSourceName || skip(path) || (stats.isDirectory() && !mayHold(path)),
  }
  for await (const item of walk(agentRoot, options)) {
    if (item.kind === 'entry') {
      const { path, stats } = item
      if (stats.isDirectory() || !matcher.matches(path, false)) continue
      files.push({ path, stats })
      idle.see(path)
    } else if (isClosedToUs(item) && !matcher.matches(item.path, true)) {
      unreadable.push(item.path)
    } else {
      throw new Error(obstacle(item))
    }
  }
  return { files, unreadable, idle: idle.all() }
}

/** Exclusions, blanks and comments select nothing by nature. */
function createIdlePatterns(patterns: readonly string[]) {
  const idle = new Map<string, (path: string, isDirectory: boolean) => boolean>()
  for (const pattern of patterns) {
    const matcher = /^(?:!|#|\s*$)/.test(pattern) ? undefined : createMatcher([pattern])
    if (matcher?.ok) idle.set(pattern, matcher.matches)
  }
  return {
    see(path: string): void {
      for (const [pattern, matches] of idle) if (matches(path, false)) idle.delete(pattern)
    },
    all: (): readonly string[] => [...idle.keys()],
  }
}

const caps = { maxEntries: 2_000_000, maxDepth: 128 }

type Obstacle = Exclude<WalkItem, { kind: 'entry' }>

/** A directory without permissions or a name that is no text, as programs sometimes leave behind; not a failing disk. */
function isClosedToUs(item: Obstacle): boolean {
  return item.kind === 'unreadable' && ['EACCES', 'EPERM', 'EILSEQ'].includes(item.code)
}

function obstacle(item: Obstacle): string {
  if (item.kind === 'unreadable') return `${item.path || 'the agent workspace'} cannot be read (${item.code})`
  const much = item.cap === 'entries' ? 'holds too many files' : 'is nested too deeply'
  return `the agent workspace ${much} to select from; it stopped at ${item.path}`
}
