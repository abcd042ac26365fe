import leven from 'leven'

const longestWord = 64
/** Two letters in the wrong order count as two changes. */
const swapped = 2

/** The names that someone who wrote `word` may have meant, best first, in any case of letters; none for an overlong word. */
export function nearestNames(word: string, names: readonly string[], limit = 3): readonly string[] {
  if (word.length > longestWord) return []
  const wanted = word.toLowerCase()
  const allowed = Math.max(word.length < 4 ? 1 : swapped, Math.floor(word.length / 3))
  return names
    .filter(name => name !== word)
    .map(name => {
      const changes = leven(wanted, name.toLowerCase())
      return { name, changes, distance: isContinued(wanted, name.toLowerCase()) ? 1 : changes }
    })
    .filter(({ distance }) => distance <= allowed)
    .sort((left, right) => left.distance - right.distance || left.changes - right.changes)
    .slice(0, limit)
    .map(({ name }) => name)
}

/** ` Did you mean port?`, or ''. */
export function didYouMean(
  names: readonly string[],
  format: (name: string) => string = name => name,
): string {
  return names.length === 0 ? '' : ` Did you mean ${names.map(format).join(' or ')}?`
}

/** `timeout` for `time` is nearer than its length says. */
function isContinued(word: string, name: string): boolean {
  if (word === name || word.length < 4 || name.length < 4) return false
  return name.startsWith(word) || word.startsWith(name)
}
