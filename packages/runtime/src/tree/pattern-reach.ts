type PatternList = readonly string[]

/** Comparing every directory with more starting points than this costs more than looking everywhere. */
const mostStarts = 64

/**
 * Whether something that patterns select can lie in a directory or below it: `false` means that nobody need look there.
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
