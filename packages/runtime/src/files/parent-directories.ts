/**
 * The directories that hold these `/`-separated paths and all above them up to the root, which is `[]`; each once, and
 * each after its parent.
 */
export function everyDirectory(paths: Iterable<string>): readonly (readonly string[])[] {
  const known = new Map<string, readonly string[]>([['', []]])
  for (const path of paths) {
    for (let cut = path.indexOf('/'); cut !== -1; cut = path.indexOf('/', cut + 1)) {
      const directory = path.slice(0, cut)
      if (!known.has(directory)) known.set(directory, directory.split('/'))
    }
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, components]) => components)
}
