import type { Stats } from 'node:fs'
import { createMatcher, type WalkItem, walk } from '../kit/index.ts'
import { dataSourceName } from './layout.ts'

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

export interface Selection {
  /** Everything selected that is not a directory, in the order of a walk. */
  readonly files: readonly SelectedFile[]
  /** What could not be looked into and might have held more. */
  readonly unreadable: readonly string[]
}

/**
 * The files of the workspace that the patterns select. The data source is never looked at. Rejects with the reason of the
 * signal, or an error when the answer would not be whole: a selection that silently lacks files is worse than none.
 */
export async function selectFiles(request: SelectionRequest): Promise<Selection> {
  const { agentRoot, patterns, skip = () => false, signal } = request
  const matcher = createMatcher(patterns)
  if (!matcher.ok) throw new Error(`the pattern ${patterns[matcher.index] ?? ''} is ${matcher.message}`)
  const files: SelectedFile[] = []
  const unreadable: string[] = []
  const options = {
    ...caps,
    ...(signal && { signal }),
    skip: (path: string) => path === dataSourceName || skip(path),
  }
  for await (const item of walk(agentRoot, options)) {
    if (item.kind === 'entry') {
      const { path, stats } = item
      if (!stats.isDirectory() && matcher.matches(path, false)) files.push({ path, stats })
    } else if (isClosedToUs(item) && !matcher.matches(item.path, true)) {
      unreadable.push(item.path)
    } else {
      throw new Error(obstacle(item))
    }
  }
  return { files, unreadable }
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
