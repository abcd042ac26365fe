import { createMatcher } from '../kit/index.ts'
import { createReach } from './pattern-reach.ts'

/**
 * Which files of the agent workspace are checkpointed, watched and shown: the union of lists of `checkpointedFiles`, each
 * by the rules of a gitignore file, without the data source and without every `.git`. Looks at no disk, never changes,
 * and never throws. Paths are relative to the agent workspace, with `/`.
 */
export interface CheckpointSelection {
  /** Whether a file at this path is selected. */
  selects(path: string): boolean
  /** Everything below this directory is selected, but for what is never selected. */
  covers(directory: string): boolean
  /** `false`: nothing in this directory or below it can be selected, so nobody need look. */
  mayHold(directory: string): boolean
  /** The union with one more list; the same object when that adds nothing. */
  with(patterns: readonly string[]): CheckpointSelectionResult
}

export type CheckpointSelectionResult =
  | { readonly ok: true; readonly selection: CheckpointSelection }
  /** The hank's own checks refuse such a pattern, with the same words. */
  | { readonly ok: false; readonly pattern: string; readonly message: string }

type PatternList = readonly string[]

export function createCheckpointSelection(lists: readonly PatternList[]): CheckpointSelectionResult {
  // Without `!` the order of patterns means nothing, so such lists can share one matcher; the others need their own.
  const plain = new Set<string>()
  const ordered = new Map<string, PatternList>()
  for (const list of lists) {
    if (list.some(isExclusion)) ordered.set(JSON.stringify(list), list)
    else for (const pattern of list) plain.add(pattern)
  }
  const matchers: Matches[] = []
  for (const patterns of [[...plain], ...ordered.values()]) {
    if (patterns.length === 0) continue
    const matcher = createMatcher(patterns, { maxPatterns: mostPatterns })
    if (!matcher.ok) {
      return { ok: false, pattern: patterns[matcher.index] ?? '', message: matcher.message }
    }
    matchers.push(matcher.matches)
  }
  return { ok: true, selection: selectionOf({ lists, plain, ordered, matchers }) }
}

/** `true` for a name that is in no selection; what lies below such a directory is not either. */
export function isNeverSelected(path: string): boolean {
  return path === dataSourceName || path === gitName || path.endsWith(`/${gitName}`)
}

/** Where the agent finds the data: read only, and never part of a version. */
export const dataSourceName = 'read_only_data_source'
const gitName = '.git'
/** A hank holds no more different patterns. */
const mostPatterns = 20_000

type Matches = (path: string, isDirectory: boolean) => boolean

interface Parts {
  readonly lists: readonly PatternList[]
  readonly plain: ReadonlySet<string>
  readonly ordered: ReadonlyMap<string, PatternList>
  readonly matchers: readonly Matches[]
}

function selectionOf({ lists, plain, ordered, matchers }: Parts): CheckpointSelection {
  const mayHold = createReach(lists.flat())
  const isOut = (path: string) => {
    const names = path.split('/')
    return names[0] === dataSourceName || names.includes(gitName)
  }
  const selection: CheckpointSelection = {
    selects: path => !isOut(path) && matchers.some(matches => matches(path, false)),
    covers: directory => !isOut(directory) && matchers.some(matches => matches(directory, true)),
    mayHold: directory => !isOut(directory) && mayHold(directory),
    with(patterns) {
      const isKnown = patterns.some(isExclusion)
        ? ordered.has(JSON.stringify(patterns))
        : patterns.every(pattern => plain.has(pattern))
      return isKnown ? { ok: true, selection } : createCheckpointSelection([...lists, patterns])
    },
  }
  return selection
}

function isExclusion(pattern: string): boolean {
  return pattern.startsWith('!')
}
