/** The directories above these paths, without the root; each once, and each after those above it. */
export function ancestorsOf(paths: Iterable<string>): readonly string[] {
  const known = new Set<string>()
  for (const path of paths) {
    for (let cut = path.indexOf('/'); cut !== -1; cut = path.indexOf('/', cut + 1))
      known.add(path.slice(0, cut))
  }
  return [...known].sort()
}
