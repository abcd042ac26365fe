import { createMatcher } from '../kit/index.ts'

/**
 * Which files of the agent workspace are checkpointed, watched and shown: the union of lists of `checkpointedFiles`, each
 * by the rules of a gitignore file, without the data source and without every `.git`. Looks at no disk, never changes,
 * and never throws. Paths are relative to the agent workspace, with `/`.
 */
export interface Selection {
  /** Whether a file at this path is selected. */
  selects(path: string): boolean
  /** Everything below this directory is selected, but for what is never selected. */
  covers(directory: string): boolean
  /** `false`: nothing in this directory or below it can be selected, so no scan enters it. */
  mayHold(directory: string): boolean
  /** The union with one more list; the same object when that adds nothing. */
  with(patterns: readonly string[]): SelectionResult
}

export type SelectionResult =
  | { readonly ok: true; readonly selection: Selection }
  /** The hank's own checks refuse such a pattern, with the same words. */
  | { readonly ok: false; readonly pattern: string; readonly message: string }

type PatternList = readonly string[]

export function createSelection(lists: readonly PatternList[]): SelectionResult {
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

/** Where the agent finds the data: read only, and never part of a version. */
export const dataSourceName = 'read_only_data_source'
/** A repository of the agent's own: its files are kept, what git keeps about them is not, and could not be. */
export const gitName = '.git'
/** A hank holds no more different patterns. */
const mostPatterns = 20_000

type Matches = (path: string, isDirectory: boolean) => boolean

interface Parts {
  readonly lists: readonly PatternList[]
  readonly plain: ReadonlySet<string>
  readonly ordered: ReadonlyMap<string, PatternList>
  readonly matchers: readonly Matches[]
}

function selectionOf({ lists, plain, ordered, matchers }: Parts): Selection {
  const mayHold = createReach(lists.flat())
  const isOut = (path: string) => {
    const names = path.split('/')
    return names[0] === dataSourceName || names.includes(gitName)
  }
  const selection: Selection = {
    selects: path => !isOut(path) && matchers.some(matches => matches(path, false)),
    covers: directory => !isOut(directory) && matchers.some(matches => matches(directory, true)),
    mayHold: directory => !isOut(directory) && mayHold(directory),
    with(patterns) {
      const isKnown = patterns.some(isExclusion)
        ? ordered.has(JSON.stringify(patterns))
        : patterns.every(pattern => plain.has(pattern))
      return isKnown ? { ok: true, selection } : createSelection([...lists, patterns])
    },
  }
  return selection
}

function isExclusion(pattern: string): boolean {
  return pattern.startsWith('!')
}

/** Comparing every directory with more starting points than this costs more than entering all. */
const mostStarts = 64

/**
 * Whether something that patterns select can lie in a directory or below it: `false` means that no scan need enter it.
 * By the rules of gitignore; paths are relative to where the patterns belong, with `/`.
 */
export function createReach(patterns: PatternList): (directory: string) => boolean {
  const reach = reachOf(patterns)
  return directory => reach === 'everywhere' || isWithin(reach, directory)
}

/** The directories from which everything selected can be reached. */
function reachOf(patterns: PatternList): ReadonlySet<string> | 'everywhere' {
  const starts = new Set<string>()
  for (const pattern of patterns) {
    if (pattern === '' || pattern.startsWith('#') || pattern.startsWith('!')) continue
    const start = startOf(pattern)
    if (start === '' || starts.size === mostStarts) return 'everywhere'
    starts.add(start)
  }
  return starts
}

/**
 * The plain names at the start of a pattern that is bound to the root, '' for one that may match anywhere. A slash binds a
 * pattern, but not one at its end. Characters with a meaning, and spaces (cut off at the end, unless escaped), end it.
 */
function startOf(pattern: string): string {
  const names = pattern.split('/')
  if (names.at(-1) === '') names.pop()
  if (names.length < 2) return ''
  const from = names[0] === '' ? 1 : 0
  const end = names.findIndex((name, index) => index >= from && (name === '' || /[*?[\]\\\s]/.test(name)))
  return names.slice(from, end === -1 ? undefined : end).join('/')
}

function isWithin(starts: ReadonlySet<string>, directory: string): boolean {
  if (directory === '') return true
  for (const start of starts) {
    if (start === directory || start.startsWith(`${directory}/`) || directory.startsWith(`${start}/`))
      return true
  }
  return false
}

/** Of no patterns. */
export const emptySelection: Selection = selectionOf({
  lists: [],
  plain: new Set(),
  ordered: new Map(),
  matchers: [],
})
