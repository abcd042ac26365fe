/**
 * Why a pattern over the workspace cannot select anything, and what to write instead; undefined for one that can. Says
 * nothing about a leading `/`, which ties a pattern to the workspace, nor about files that may or may not be there.
 */
export function neverMatches(pattern: string): string | undefined {
  const path = pattern.startsWith('!') ? pattern.slice(1) : pattern
  if (path.trim() === '') return 'it is blank. Remove it.'
  if (pattern.startsWith('#')) return 'it is a comment. Write \\# for a name that begins with #.'
  if (/<%[^<%]*%>/.test(path)) return `variables count only in prompts. ${fromWorkspace}`
  if (/^[A-Za-z]:[\\/]/.test(path)) return `it begins with a drive. ${fromWorkspace}`
  // Before other characters it is an escape that somebody may need.
  if (/\\[\w.-]/.test(path)) return 'a \\ is no separator. Write / between directories.'
  const parts = path.split('/')
  if (parts.includes('..')) return `it leaves the workspace. ${fromWorkspace}`
  if (parts.includes('.') || parts.slice(1, -1).includes('')) {
    const plain = parts.filter(
      (part, at) => part !== '.' && (part !== '' || at === 0 || at === parts.length - 1),
    )
    return `names are compared as they are. Write ${plain.join('/') || '**'}.`
  }
  return undefined
}

const fromWorkspace = 'Write the path from the agent workspace on.'

/** Whether a list of patterns only takes away, so that nothing is left to select. */
export function onlyExcludes(patterns: readonly string[]): boolean {
  return patterns.length > 0 && patterns.every(pattern => pattern.startsWith('!'))
}
